package markdown

// Stream renders a text while it arrives. The zero value is ready. It is used by
// one goroutine at a time.
type Stream struct {
	norm   normaliser
	open   []byte
	done   bool
	closed []HTML
	sent   int
	dirty  bool
	tail   HTML
}

// Update is what changed.
type Update struct {
	Closed    []HTML
	HeadReset bool
	Head      HTML
	Tail      HTML
	Changed   bool
}

// Body is everything shown.
type Body struct {
	Closed     []HTML
	Head, Tail HTML
}

// Write appends text.
func (s *Stream) Write(delta string) { s.open = s.norm.append(s.open, delta); s.dirty = true }

// Close ends the text.
func (s *Stream) Close() { s.done = true; s.dirty = true }

func (s *Stream) advance() {
	if !s.dirty {
		return
	}
	s.dirty = false
	s.tail = renderBlock(s.open)
	if s.done && len(s.open) > 0 {
		s.closed, s.open, s.tail = append(s.closed, s.tail), nil, ""
	}
}

// Update returns what changed since the last Update.
func (s *Stream) Update() Update {
	s.advance()
	u := Update{Closed: s.closed[s.sent:], Tail: s.tail, Changed: true}
	s.sent = len(s.closed)
	return u
}

// Body returns everything shown now.
func (s *Stream) Body() Body { s.advance(); return Body{Closed: s.closed, Tail: s.tail} }
