package jsonpatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cairn/internal/testall"
)

// A few bytes must not walk over megabytes as often as a patch has room for them.
func TestWorkIsBounded(t *testing.T) {
	list := `[` + strings.Repeat(`0,`, 1<<20) + `0]`
	for _, tt := range testall.Sample(t, []struct{ name, ops string }{
		{"add", `{"op":"add","path":"/a/0","value":0}`},
		{"remove", `{"op":"remove","path":"/a/0"}`},
		{"move", `{"op":"move","from":"/a/0","path":"/a/1"}`},
		{"move deeper", `{"op":"move","from":"/a","path":"/b/a"},{"op":"move","from":"/b/a","path":"/a"}`},
	}, 2) {
		t.Run(tt.name, func(t *testing.T) {
			s := Parse(json.RawMessage(`{"a":` + list + `,"b":{}}`))
			few := `[` + tt.ops + `,` + tt.ops + `]`
			if _, err := s.Patch(json.RawMessage(few), 0); err != nil {
				t.Fatalf("a few: %v", err)
			}
			before := string(s.JSON())
			many := `[` + strings.Repeat(tt.ops+`,`, 99) + tt.ops + `]`
			if _, err := s.Patch(json.RawMessage(many), 0); !errors.Is(err, errWork) {
				t.Fatalf("many: %v", err)
			}
			if s.joined = nil; string(s.JSON()) != before {
				t.Error("the state is another")
			}
		})
	}
}

// A patch of many operations is refused before they are made.
func TestOperationsAreBounded(t *testing.T) {
	s := Parse(json.RawMessage(`{}`))
	for n, want := range map[int]error{maxOperations: nil, maxOperations + 1: errTooMany} {
		if _, err := s.Patch(json.RawMessage(`[`+strings.Repeat(`{},`, n-1)+`{}]`), 0); !errors.Is(err, want) {
			t.Errorf("%d operations: %v, want %v", n, err, want)
		}
	}
}

// A patch that was undone must not leave more behind than one that was not.
func TestFailedPatchesLeaveNothing(t *testing.T) {
	s := Parse(json.RawMessage(`{"a":1}`))
	for i := range 1000 {
		if _, err := s.Patch(fmt.Appendf(nil, `[{"op":"add","path":"/k%d","value":1},{"op":"test","path":"/a","value":2}]`, i), 0); !errors.Is(err, errTest) {
			t.Fatal(err)
		}
	}
	if n := len(s.top.items[0].box.names); n > 32 {
		t.Errorf("%d names of one member", n)
	}
	if s.joined = nil; string(s.JSON()) != `{"a":1}` {
		t.Errorf("%s", s.JSON())
	}
}
