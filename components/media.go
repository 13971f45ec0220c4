package components

// Medium is a picture, a file or another part of a message that is more than text.
type Medium struct {
	Kind string // "image"; data-kind
	// Label is what it is in a few words: "image, 3 KB".
	Label string
	Name  string // of the file, may be empty
	// Picture is where the picture is that is shown, empty for none.
	Picture       string
	Alt           string
	Width, Height int // 0 when not known
	// Download is where its bytes are, empty when they are not here.
	Download string
	// Link is an address elsewhere that the page leads to and does not load, at Host.
	Link, Host string
	// Note is the reason why it is not shown.
	Note string
}

// Media are those of one card.
type Media struct {
	List []Medium
	More bool // not all are in the list
}
