package components

// StateTree is any shared state, as a panel's body.
type StateTree struct {
	// Nodes are its members, none when there is no state; Empty is then the text.
	Nodes []StateNode
	Empty string
	// Cut reports whether the state has more than is shown.
	Cut bool
}

// StateNode is a member with a value or with members of its own.
type StateNode struct {
	Name, Value string
	Nodes       []StateNode
}
