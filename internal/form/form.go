// Package form builds a form from the JSON schema that an agent sends with its question,
// and the answer from the posted form.
//
// The schema is an agent's and may be anything: what is made of it is bounded in
// size, depth and time, its pattern never reaches a browser, and a part that no field
// can show is asked for as JSON when it is required and left out when it is not. The
// package renders nothing and knows nothing of approvals but the member that says so.
package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Limits of a schema and of an answer.
const (
	maxSchema  = 16 << 10 // bytes; a larger one is none
	maxBegin   = 64 << 10 // bytes of the values to begin with; more is not offered for editing
	maxDepth   = 24       // of a schema, of JSON that is typed and of what a form begins with
	maxFields  = 20
	maxOptions = 100
	maxLabel   = 100   // bytes of a label, an option and a legend
	maxHelp    = 300   // bytes
	maxText    = 10000 // characters of a value
	longText   = 120   // characters from which a text gets several lines
)

// Kind is what a field looks like.
type Kind string

const (
	Text   Kind = "text"
	Area   Kind = "area" // text of several lines
	Date   Kind = "date"
	Email  Kind = "email"
	Number Kind = "number"
	Check  Kind = "check"
	Select Kind = "select"
	JSON   Kind = "json" // what no other field can hold
)

// Field is one value of the answer. Its texts are the agent's.
type Field struct {
	Kind        Kind
	Label, Help string
	Required    bool
	Signed      bool // a number that may be negative
	// Value is what it begins with: text, the number of an option, "on" for a check.
	Value   string
	Options []string
	// Group is the member whose part this is, Legend and GroupHelp its words.
	Group, Legend, GroupHelp string

	member string // "" when the field is the whole answer or the group's value
	rule
	known    bool // Value was proposed by the agent
	always   bool // it is said even so
	optional bool // its group may be left out
}

// Form is what is asked of a person, beside yes and no.
type Form struct {
	// Asks is true when the answer has a member for yes and no, or is yes or no
	// itself; otherwise an answer is given or none.
	Asks   bool
	Fields []Field

	bare   bool // the answer is the value itself, not an object
	schema json.RawMessage
	// kept are, for each group, the members the agent proposed that no field shows.
	// The protocol replaces whole objects, so these parts are resent.
	kept map[string][]member
}

// Plain is the form without fields: {"approved":true} or {"approved":false}.
func Plain() Form { return Form{Asks: true} }

// New makes the form of a schema. proposed are the values that the agent is about to
// use, the first that has a member winning; args, the last of them, is also what
// editedArgs begins with. An invalid schema results in [Plain].
func New(schema json.RawMessage, proposed ...json.RawMessage) Form {
	if !bounded(schema, maxSchema) {
		return Plain()
	}
	s, ok := parse(schema)
	if !ok {
		return Plain()
	}
	f := Form{schema: schema, kept: map[string][]member{}}
	switch {
	case s.Type == "boolean":
		return Form{Asks: true, bare: true}
	case !s.object():
		f.bare = true
		field, _ := newField("", s, s.Default)
		field.Required, field.always = true, true
		if field.Label == "" {
			field.Label = "Your answer"
		}
		f.Fields = []Field{field}
		return f
	case len(s.Properties.names) == 0 && len(s.Required) == 0:
		return Plain() // it does not constrain the answer (measured)
	}
	begins := make([][]member, len(proposed))
	for i, raw := range proposed {
		if bounded(raw, maxBegin) {
			begins[i] = membersOf(raw)
		}
	}
	if !f.fill(s, begins) {
		return Form{bare: true, schema: schema, Fields: []Field{{
			Kind: JSON, Label: "Your answer", Help: "As JSON: what the agent asks for does not fit into a form.", Required: true, always: true,
		}}}
	}
	return f
}

// fill makes the fields of an object; false when what is required does not fit.
func (f *Form) fill(s schema, begins [][]member) bool {
	for _, name := range s.Properties.names {
		p := s.Properties.of[name]
		need := s.requires(name)
		if name == approved && p.Type == "boolean" {
			f.Asks = true
			continue
		}
		fields := f.member(name, p, need, begins)
		if len(f.Fields)+len(fields) > maxFields {
			if need {
				return false
			}
			continue
		}
		f.Fields = append(f.Fields, fields...)
	}
	for _, name := range s.Required {
		if _, ok := s.Properties.of[name]; !ok {
			return false
		}
	}
	return true
}

// member makes the fields of one member, none when it cannot be shown and need not.
func (f *Form) member(name string, p schema, need bool, begins [][]member) []Field {
	begin, known := p.Default, false
	for _, from := range begins {
		if v := find(from, name); begin == nil && v != nil {
			begin, known = v, true
		}
	}
	if n := len(begins); name == editedArgs && begin == nil && n > 0 && len(begins[n-1]) > 0 {
		begin, known = object(begins[n-1]), true
	}
	if p.object() {
		inner := p
		if len(inner.Properties.names) == 0 {
			inner.Properties = guess(begin)
		}
		if group := f.group(name, p, inner, need, begin, known); group != nil {
			return group
		}
	}
	field, held := newField(name, p, begin)
	known = known && held
	field.member, field.always, field.known = name, need, known
	field.Required = need || known && !field.mayBeEmpty()
	if field.Kind == JSON && !need && !(known && p.object()) {
		return nil
	}
	return []Field{field}
}

// group makes a field of each member of an object that can be shown and changed, and
// keeps the others as the agent said them; nil when there is no such member.
func (f *Form) group(name string, p, inner schema, need bool, begin json.RawMessage, known bool) []Field {
	var all []Field
	said, shown := membersOf(begin), map[string]bool{}
	for _, part := range inner.Properties.names {
		q := inner.Properties.of[part]
		value, its := find(said, part), known
		if value == nil {
			value, its = q.Default, false
		}
		field, held := newField(part, q, value)
		if its && !held || field.Kind == JSON && value == nil && !inner.requires(part) {
			continue
		}
		field.Group, field.Legend, field.GroupHelp = name, clip(cmp.Or(p.Title, Words(name)), maxLabel), clip(p.Description, maxHelp)
		field.member, field.known, field.optional = part, its, !need
		field.Required = inner.requires(part) && (need || begin != nil) || its && !field.mayBeEmpty()
		all, shown[part] = append(all, field), true
	}
	for _, m := range said {
		if known && all != nil && !shown[m.name] {
			f.kept[name] = append(f.kept[name], m)
		}
	}
	return all
}

// MustFill reports whether the field must not be empty.
func (f Field) MustFill() bool { return f.Required && !f.null && f.Kind != Check }

// maxChoices is how many options are offered as a button each.
const maxChoices = 6

// Choices are the answers to choose from when the form is nothing but that, and they are
// few; else there are none. The value that is posted for the field 0 is the number of one.
func (f Form) Choices() []string {
	if f.Asks || !f.bare || len(f.Fields) != 1 || f.Fields[0].Kind != Select || len(f.Fields[0].Options) > maxChoices {
		return nil
	}
	return f.Fields[0].Options
}

// YesIsEnough reports whether approving without filling anything in is a valid answer.
func (f Form) YesIsEnough() bool {
	return f.Asks && !slices.ContainsFunc(f.Fields, func(x Field) bool { return x.always })
}

// mayBeEmpty: a value that the agent said itself can be taken away.
func (f Field) mayBeEmpty() bool { return f.Kind == Text || f.Kind == Area || f.Kind == Check }

// Members with a meaning of their own.
const (
	approved   = "approved"
	editedArgs = "editedArgs"
)

// member is one of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf are an object's members in their order, the last of a name winning; none
// when it is no object.
func membersOf(raw json.RawMessage) (all []member) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	at := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return nil
		}
		name, _ := key.(string)
		if i, twice := at[name]; twice {
			all[i].value = value
			continue
		}
		at[name] = len(all)
		all = append(all, member{name, value})
	}
	return all
}

// find is the value of a member, nil when there is none or it is null.
func find(all []member, name string) json.RawMessage {
	i := slices.IndexFunc(all, func(m member) bool { return m.name == name })
	if i < 0 || string(all[i].value) == "null" {
		return nil
	}
	return all[i].value
}

// get is a member of a JSON object, nil when there is none or it is null.
func get(object json.RawMessage, name string) json.RawMessage { return find(membersOf(object), name) }
