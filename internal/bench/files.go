package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is one stream both clients take from bytes to messages and state.
type file struct {
	name, what string
	path       string
	text       []byte
	events     int
	times      int     // how often a turn repeats it, for files that are short
	goal       float64 // how many times the peer's events a second, 0 for no goal
}

const captured = "agentclient/testdata/transcripts/langgraph"

// writeFiles writes the synthetic streams, and adds the largest captured one
// with RAW events where there is one.
func writeFiles(dir string) ([]file, error) {
	files := []file{
		{name: "long-message", what: "one message of 20,000 five-byte deltas", text: longMessage(20_000), goal: 50},
		{name: "mixed-run", what: "200 messages of 100 deltas, 50 tool calls, 500 two-op state deltas", text: mixedRun(), goal: 150},
		{name: "growing-list", what: "500 state deltas that each add to one list", text: growingList()},
	}
	for i := range files {
		f := &files[i]
		f.path, f.times = filepath.Join(dir, f.name+".sse"), 1
		if err := os.WriteFile(f.path, f.text, 0o600); err != nil {
			return nil, err
		}
	}
	raw, err := largestRaw(captured)
	if err != nil {
		return nil, err
	}
	if raw.path == "" {
		fmt.Printf("no captured stream with RAW in %s: left out\n", captured)
	} else {
		files = append(files, raw)
	}
	for i := range files {
		files[i].events = bytes.Count(files[i].text, []byte("\ndata:")) + 1
	}
	return files, nil
}

func largestRaw(dir string) (largest file, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.sse"))
	if err != nil {
		return file{}, err
	}
	for _, path := range paths {
		text, err := fs.ReadFile(os.DirFS("."), path)
		if err != nil {
			return file{}, err
		}
		if bytes.Contains(text, []byte(`"type":"RAW"`)) && len(text) > len(largest.text) {
			largest = file{name: "captured-raw", path: path, text: text, times: 20,
				what: "a LangGraph run as captured, with RAW: " + filepath.Base(path)}
		}
	}
	return largest, nil
}

// stream builds SSE text, one event a call.
type stream struct{ strings.Builder }

func (s *stream) say(format string, args ...any) {
	fmt.Fprintf(s, "data: "+format+"\n\n", args...)
}

const (
	started  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	finished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// longMessage is one message of n deltas of five bytes.
func longMessage(n int) []byte {
	var s stream
	s.say(started)
	s.say(`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`)
	s.WriteString(strings.Repeat(`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"word "}`+"\n\n", n))
	s.say(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`)
	s.say(finished)
	return []byte(s.String())
}

// mixedRun is 200 messages of 100 deltas; behind every fourth a tool call of ten
// argument deltas with its result; behind every second five state deltas.
func mixedRun() []byte {
	var s stream
	s.say(started)
	s.say(`{"type":"STATE_SNAPSHOT","snapshot":{"count":0,"items":[]}}`)
	for m := range 200 {
		s.say(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"assistant"}`, m)
		for range 100 {
			s.say(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m%d","delta":"word "}`, m)
		}
		s.say(`{"type":"TEXT_MESSAGE_END","messageId":"m%d"}`, m)
		if m%4 == 0 {
			s.say(`{"type":"TOOL_CALL_START","toolCallId":"c%d","toolCallName":"look","parentMessageId":"m%d"}`, m, m)
			for range 10 {
				s.say(`{"type":"TOOL_CALL_ARGS","toolCallId":"c%d","delta":"\"abcd\","}`, m)
			}
			s.say(`{"type":"TOOL_CALL_END","toolCallId":"c%d"}`, m)
			s.say(`{"type":"TOOL_CALL_RESULT","messageId":"r%d","toolCallId":"c%d","content":"{\"ok\":true}"}`, m, m)
		}
		if m%2 == 0 {
			for range 5 {
				s.say(`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":%d},{"op":"replace","path":"/items","value":[%d]}]}`, m, m)
			}
		}
	}
	s.say(finished)
	return []byte(s.String())
}

// growingList is 500 deltas of two operations, one of which adds to a list.
func growingList() []byte {
	var s stream
	s.say(started)
	s.say(`{"type":"STATE_SNAPSHOT","snapshot":{"count":0,"items":[]}}`)
	for i := range 500 {
		s.say(`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":%d},{"op":"add","path":"/items/-","value":{"name":"tent","qty":%d}}]}`, i, i)
	}
	s.say(finished)
	return []byte(s.String())
}

// patches is n deltas of one operation each on the member that path names, after
// the events of before.
func patches(n int, path string, before ...string) []byte {
	var s stream
	s.say(started)
	for _, event := range before {
		s.say("%s", event)
	}
	for i := range n {
		s.say(`{"type":"STATE_DELTA","delta":[{"op":"replace","path":%q,"value":%d}]}`, path, i)
	}
	s.say(finished)
	return []byte(s.String())
}

// after is n text deltas in chunks, after one event.
func after(event string, n int) []byte {
	var s stream
	s.say(started)
	s.say("%s", event)
	for range n {
		s.say(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"word "}`)
	}
	s.say(finished)
	return []byte(s.String())
}
