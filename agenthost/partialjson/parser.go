// Package partialjson parses one JSON value that arrives in pieces and returns, at any
// moment, the part that is certain: scalars once they are complete, arrays and objects as
// soon as they open, each marked done when it closes. It never guesses how an unfinished
// string or number continues.
package partialjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxDepth and MaxValues bound nesting and the number of values, because the text
// comes from a model: a value takes some hundred bytes, and two bytes write one.
const (
	MaxDepth  = 64
	MaxValues = 100_000
)

// ErrSyntax is the error for text that cannot be the beginning of a JSON value.
var ErrSyntax = errors.New("not JSON")

// Kind is the type of a node.
type Kind int

const (
	Scalar Kind = iota
	Object
	Array
)

// Node is a value as far as it is known. Scalars are always done.
type Node struct {
	Kind Kind
	Done bool
	// Value is a scalar's value: string, [json.Number], bool or nil.
	Value any
	// Items are an array's elements in order.
	Items []*Node
	// Keys are an object's keys in order of first appearance; Members its values.
	// A repeated key has its first place and its last value.
	Keys    []string
	Members map[string]*Node
}

// Any returns the known part of the node as the values of encoding/json, with numbers as
// [json.Number].
func (n *Node) Any() any {
	switch n.Kind {
	case Object:
		m := make(map[string]any, len(n.Members))
		for k, v := range n.Members {
			m[k] = v.Any()
		}
		return m
	case Array:
		a := make([]any, len(n.Items))
		for i, v := range n.Items {
			a[i] = v.Any()
		}
		return a
	default:
		return n.Value
	}
}

type expect int

const (
	wantValue expect = iota
	wantFirstItemOrEnd
	wantFirstKeyOrEnd
	wantKey
	wantColon
	wantCommaOrEnd
	inString
	inEscape
	inWord
	finished
)

// Parser is a push parser. The zero value is ready to use. It is not safe for concurrent
// use.
type Parser struct {
	root    *Node
	stack   []*Node
	keys    []string // the member each open object is reading
	want    expect
	token   []byte
	isKey   bool
	count   int // values so far
	changes int
	err     error
}

// Changes returns how often the known part of the value has changed.
func (p *Parser) Changes() int { return p.changes }

// Root returns the value as far as it is known; nil before it begins.
func (p *Parser) Root() *Node { return p.root }

// Write parses the next piece. After an error the value does not change and every further
// Write returns the same error. The cost is linear in the piece.
func (p *Parser) Write(piece string) error {
	for i := 0; i < len(piece) && p.err == nil; i++ {
		p.step(piece[i])
	}
	return p.err
}

// Close ends the text, which ends a bare number. It returns an error unless exactly one
// whole value was read.
func (p *Parser) Close() error {
	if p.err == nil && p.want == inWord && len(p.stack) == 0 {
		p.endWord()
	}
	if p.err == nil && p.want != finished {
		p.err = fmt.Errorf("%w: unexpected end", ErrSyntax)
	}
	return p.err
}

func (p *Parser) step(c byte) {
	switch p.want {
	case inString:
		p.token = append(p.token, c)
		switch {
		case c == '\\':
			p.want = inEscape
		case c == '"':
			p.endString()
		case c < 0x20:
			p.fail(c)
		}
		return
	case inEscape:
		p.token = append(p.token, c)
		p.want = inString
		return
	case inWord:
		if !isSpace(c) && c != ',' && c != ']' && c != '}' {
			p.token = append(p.token, c)
			return
		}
		p.endWord()
		if p.err != nil {
			return
		}
	}
	if isSpace(c) {
		return
	}
	switch p.want {
	case wantValue:
		p.begin(c)
	case wantFirstItemOrEnd:
		if c == ']' {
			p.pop()
			return
		}
		p.begin(c)
	case wantFirstKeyOrEnd, wantKey:
		switch {
		case c == '"':
			p.token, p.isKey, p.want = append(p.token[:0], c), true, inString
		case c == '}' && p.want == wantFirstKeyOrEnd:
			p.pop()
		default:
			p.fail(c)
		}
	case wantColon:
		if c != ':' {
			p.fail(c)
			return
		}
		p.want = wantValue
	case wantCommaOrEnd:
		top := p.stack[len(p.stack)-1]
		switch {
		case c == ',' && top.Kind == Object:
			p.want = wantKey
		case c == ',':
			p.want = wantValue
		case c == '}' && top.Kind == Object, c == ']' && top.Kind == Array:
			p.pop()
		default:
			p.fail(c)
		}
	default: // finished
		p.fail(c)
	}
}

func (p *Parser) begin(c byte) {
	switch c {
	case '{':
		p.push(&Node{Kind: Object, Members: map[string]*Node{}}, wantFirstKeyOrEnd)
	case '[':
		p.push(&Node{Kind: Array}, wantFirstItemOrEnd)
	case '"':
		p.token, p.isKey, p.want = append(p.token[:0], c), false, inString
	case ',', ':', ']', '}':
		p.fail(c)
	default:
		p.token, p.want = append(p.token[:0], c), inWord
	}
}

func (p *Parser) push(n *Node, next expect) {
	if len(p.stack) == MaxDepth {
		p.err = fmt.Errorf("%w: deeper than %d", ErrSyntax, MaxDepth)
		return
	}
	p.attach(n)
	p.stack = append(p.stack, n)
	p.keys = append(p.keys, "")
	p.want = next
}

func (p *Parser) pop() {
	p.changes++
	p.stack[len(p.stack)-1].Done = true
	p.stack = p.stack[:len(p.stack)-1]
	p.keys = p.keys[:len(p.keys)-1]
	p.afterValue()
}

func (p *Parser) afterValue() {
	p.want = wantCommaOrEnd
	if len(p.stack) == 0 {
		p.want = finished
	}
}

func (p *Parser) attach(n *Node) {
	p.changes++
	if p.count++; p.count > MaxValues {
		p.err = fmt.Errorf("%w: more than %d values", ErrSyntax, MaxValues)
		return
	}
	if len(p.stack) == 0 {
		p.root = n
		return
	}
	top := p.stack[len(p.stack)-1]
	if top.Kind == Array {
		top.Items = append(top.Items, n)
		return
	}
	key := p.keys[len(p.keys)-1]
	if _, seen := top.Members[key]; !seen {
		top.Keys = append(top.Keys, key)
	}
	top.Members[key] = n
}

func (p *Parser) endString() {
	if !utf8.Valid(p.token) {
		p.err = fmt.Errorf("%w: invalid UTF-8 in a string", ErrSyntax)
		return
	}
	var s string
	if err := json.Unmarshal(p.token, &s); err != nil {
		p.err = fmt.Errorf("%w: string", ErrSyntax)
		return
	}
	if p.isKey {
		p.keys[len(p.keys)-1] = s
		p.want = wantColon
		return
	}
	p.attach(&Node{Done: true, Value: s})
	p.afterValue()
}

func (p *Parser) endWord() {
	n := &Node{Done: true}
	switch word := string(p.token); {
	case word == "true":
		n.Value = true
	case word == "false":
		n.Value = false
	case word == "null":
	case json.Valid(p.token): // all other one-word JSON is a number
		n.Value = json.Number(word)
	default:
		p.err = fmt.Errorf("%w: unknown word", ErrSyntax)
		return
	}
	p.attach(n)
	p.afterValue()
}

func (p *Parser) fail(c byte) { p.err = fmt.Errorf("%w: unexpected %q", ErrSyntax, c) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
