package components

import "cairn/internal/markdown"

// CodePage is the Code tab.
type CodePage struct {
	Shell Shell
	Files []FileLink
	File  CodeFile
}

// FileLink is one entry of the file list; Note is the reason why the file matters.
type FileLink struct {
	Path, URL, Note string
	Current         bool
}

// CodeFile is one highlighted file. Lines are HTML by internal/markdown.
type CodeFile struct {
	Path, Language string
	Lines          []markdown.HTML
}

// PackingList is the camping demo's panel body.
type PackingList struct {
	// Title is empty when there is no list yet; Empty is then the text.
	Title string
	Items []PackingItem
	Empty string
}

// PackingItem is one row. New marks what this run added.
type PackingItem struct {
	Name, Qty string
	New       bool
}

// ErrorPage is a whole page for a failed request.
type ErrorPage struct {
	Shell         Shell
	Heading, Text string
	// Restore brings back the deleted conversation that was asked for; may be empty.
	Restore string
}
