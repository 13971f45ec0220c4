// Package understand turns what a user of the camping trip planner wrote into
// tasks: changes to the packing list, a booking, trail conditions, a forecast,
// or a sentence to say. It is the scripted model's ear and works by rules over
// English words; it is pure, linear in the length of the text, and has no
// opinion about anything outside that domain, for which it returns Unknown.
//
// Text is never an instruction to it: whatever does not fit a rule is a name,
// and names are cleaned of control characters and bounded in length.
package understand

// Limits of what goes on a list or into a booking.
const (
	MaxQty    = 999 // of one item
	MaxItems  = 100 // on one list
	MaxName   = 80  // characters of an item, a title, a site or a place
	MaxNights = 14
	MaxWords  = 4000 // of one message; longer ones are answered, not parsed
)

// Kind is what a Task asks for.
type Kind int

const (
	Unknown    Kind = iota // nothing this package knows
	UpdateList             // Changes, in the order they were said
	ShowList               // what is on the list
	CountItem              // how many of Item are on the list, if any
	Conditions             // at Place, now
	Forecast               // for Place (empty: not named) and Dates
	Reserve                // Site for Nights, both valid
	Say                    // answer with Text
)

// Task is one thing a message asks for.
type Task struct {
	Kind    Kind
	Changes []Change
	Item    string
	Place   string
	Dates   Dates
	Site    string
	Nights  int
	Text    string
}

// Op is how a Change alters the list.
type Op int

const (
	Start      Op = iota // a new list called Title (empty: not named) with Items
	Add                  // Items to what is there
	Ensure               // at least Items are there, in these quantities
	Remove               // Items; quantity 0 means all of one
	Set                  // the quantities of Items; 0 removes
	AddEach              // Items' quantities, which may be negative, to items that are there
	Double               // the quantities of Items
	Replace              // Items by With
	RenameItem           // Items[0] to With[0], keeping its quantity
	RenameList           // to Title
	KeepOnly             // Items, removing the others
	Clear                // all items
)

// Change is one alteration of the list.
type Change struct {
	Op    Op
	Title string
	Items []Item
	With  []Item
}

// Item is a name in the singular where a quantity was said, and that quantity.
type Item struct {
	Name string
	Qty  int // 0: not said
}
