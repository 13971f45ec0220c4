package components

// MatrixPage is what each runtime supports, surface by surface.
type MatrixPage struct {
	Shell Shell
	// Runtimes are the columns, in the order of every row's cells. As many are embedded
	// as are not, in the same order, or none.
	Runtimes []MatrixRuntime
	Rows     []MatrixRow
}

// evidence is the id of what the cell of a runtime in a row rests on.
func (p MatrixPage) evidence(runtime int, row MatrixRow) string {
	return p.Runtimes[runtime].ID + "-" + row.Surface
}

// MatrixRuntime is one measured endpoint.
type MatrixRuntime struct {
	ID       string   // e.g. "mastra"; fit for an HTML id
	Name     string   // e.g. "Mastra"
	Versions []string // "package version", by package
	Date     string   // of the measurement, YYYY-MM-DD
	Requests int      // sent by the probe
	// Embedded is our own agent in that runtime's dialect; it is shown below the
	// runtime, in the same column.
	Embedded bool
	// Violations are the breaches of the protocol in what it sent, one sentence each.
	Violations []string
}

// MatrixRow is one surface of the protocol.
type MatrixRow struct {
	Surface string
	Cells   []MatrixCell
}

// MatrixCell is how one runtime does on one surface.
type MatrixCell struct {
	Status string // supported, partial, absent, broken or not probed
	Cause  string // of a gap: protocol, upstream bridge or ours; empty without one
	Detail string // the evidence, one sentence
	// Transcripts are the exchanges that it was seen in.
	Transcripts []TranscriptLink
}

// slug is the status as a CSS hook.
func (c MatrixCell) slug() string {
	if c.Status == "not probed" {
		return "none"
	}
	return c.Status
}

// gap reports whether the cell needs an explanation.
func (c MatrixCell) gap() bool { return c.Status != "supported" }
