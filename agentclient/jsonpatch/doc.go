// Package jsonpatch applies RFC 6902 patches to a JSON value in place, for a reader whose
// value is large, whose patches are many and small, and whose writer is not trusted.
//
//	doc := jsonpatch.Parse(snapshot)
//	if _, err := doc.Patch(delta, jsonpatch.MaxCopied-doc.Copied()); err != nil {
//		// nothing has changed
//	}
//	name, _ := doc.Value().Member("list").Item(0).Member("name").Text(100)
//
// A patch costs what it brings and the way to it, whatever stands beside: the value is
// taken apart when a patch first reaches into it, and its JSON is put together when it is
// asked for. A patch that fails is undone. Copies, shifted items, depth and the number of
// operations are bounded. A [Value] reads parts without the JSON of the whole, and its
// [Revision] shows whether it has changed.
package jsonpatch

// Bounds on what a patch may do beyond what it brings. What else a document holds came
// over the wire, which is bounded where it is read.
const (
	// MaxCopied is what copies may add to a document over its life, in bytes, as the
	// package's users bound it by the room they pass to Patch.
	MaxCopied = 16 << 20
	// maxCopy bounds, in bytes, what the copy operations of one patch may add: a few
	// dozen of them can otherwise double a value into gigabytes.
	maxCopy = 1 << 20
	// maxWork bounds what one patch may walk over besides what it brings: items that it
	// shifts in lists, and bytes of what it moves deeper. A few dozen bytes of patch
	// can otherwise walk over megabytes, again and again; it is a fraction of a second.
	maxWork = 64 << 20
	// maxOperations bounds a patch: three bytes of JSON make an operation of a hundred.
	maxOperations = 100_000
	// maxDepth bounds how deep patches reach and nest. JSON that nests deeper than
	// 10,000 is none to encoding/json, and a patch could double the depth each time.
	maxDepth = 256
)
