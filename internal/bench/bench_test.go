package main

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
)

// TestFiles holds the streams to what the figures say of them.
func TestFiles(t *testing.T) {
	tests := []struct {
		name              string
		text              []byte
		events, text5     int // text5: deltas of five bytes that must all have arrived
		messages, answers int
	}{
		{"long-message", longMessage(20_000), 20_004, 20_000, 1, 0},
		{"mixed-run", mixedRun(), 21_553, 20_000, 200, 50},
		{"growing-list", growingList(), 503, 0, 0, 0},
		{"patches", patches(7, "/count"), 9, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := conversation.New()
			state(1)(c)
			events, err := pipeline(tt.text, c)
			if err != nil || events != tt.events {
				t.Errorf("%d events, error %v; want %d", events, err, tt.events)
			}
			if c.NoteCount() > 0 || c.Run().Status != conversation.RunFinished {
				t.Errorf("run %s, notes %v", c.Run().Status, c.Notes())
			}
			length, messages, answers := 0, 0, 0
			for _, e := range c.Entries() {
				switch {
				case e.Message != nil:
					messages++
					length += e.Message.Len()
				case e.ToolCall != nil && e.ToolCall.HasResult && len(e.ToolCall.Args()) == 70:
					answers++
				}
			}
			if length != 5*tt.text5 || messages != tt.messages || answers != tt.answers {
				t.Errorf("%d bytes in %d messages, %d answered calls", length, messages, answers)
			}
		})
	}
}

// TestFlatnessAppliesItsPatches makes sure that the situations do what they name.
func TestFlatnessAppliesItsPatches(t *testing.T) {
	c := conversation.New()
	state(3)(c)
	if _, err := pipeline(patches(9, "/items/0/qty"), c); err != nil {
		t.Fatal(err)
	}
	var got struct{ Items []struct{ Qty int } }
	if err := json.Unmarshal(c.State(), &got); err != nil || len(got.Items) != 3 || got.Items[0].Qty != 8 {
		t.Errorf("state %s, error %v", c.State(), err)
	}
	history(4)(c)
	if n := content(c) - len(c.State()); n != 4*200 {
		t.Errorf("%d bytes of history", n)
	}
}

// TestSmallAndLargeDiffer makes sure that the streams for the peer bring what comes
// before, and that the events after it count.
func TestSmallAndLargeDiffer(t *testing.T) {
	for _, f := range flatness() {
		var size [2]int
		for i, text := range f.peer {
			c := conversation.New()
			if n, err := pipeline(text, c); err != nil || n < 100 || c.NoteCount() > 0 {
				t.Errorf("%s: %d events, error %v, notes %v", f.name, n, err, c.Notes())
			}
			size[i] = content(c)
		}
		if size[1] < 50*size[0] {
			t.Errorf("%s: %d bytes when small, %d when large", f.name, size[0], size[1])
		}
	}
}

func TestFigureLine(t *testing.T) {
	tests := []struct {
		figure figure
		want   string
	}{
		{figure{Name: "long-message", Value: 1436299.4, Unit: "ev/s", Peer: 27540, PeerUnit: "ev/s", Ratio: 52.15, Goal: ">=50", Pass: true},
			"figure long-message 1436299ev/s peer=27540ev/s ratio=52.15 goal=>=50 pass"},
		{figure{Name: "allocations", Value: 4.01, Unit: "/delta", Ratio: 4.01, Goal: "<=2"},
			"figure allocations 4.01/delta peer=- ratio=4.01 goal=<=2 short"},
		{speed{Name: "alone", ours: []turn{{Wall: 2000}, {Wall: 1000}}}.figure(50),
			"figure alone 1000000ev/s peer=- ratio=- goal=>=50 short"},
		{speed{Name: "both", ours: []turn{{Wall: 1000}}, peers: []turn{{Wall: 70_000}, {Wall: 49_000}}}.figure(50),
			"figure both 1000000ev/s peer=20408ev/s ratio=49.00 goal=>=50 short"},
		{growth{Name: "flat", small: []turn{{Wall: 200}, {Wall: 100}}, large: []turn{{Wall: 130}}}.figure(1.3),
			"figure flat 130ns/ev peer=- ratio=1.30 goal=<=1.3 pass"},
	}
	for _, tt := range tests {
		if got := tt.figure.String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestReportKeepsTheTurns(t *testing.T) {
	raw, err := json.Marshal(report{
		Figures: []figure{{Name: "f"}},
		Speeds:  []speed{{Name: "s", ours: []turn{{Wall: 3}, {Wall: 1}, {Wall: 2}}}},
		Growth:  []growth{{Name: "g", small: []turn{{Wall: 5}}, large: []turn{{Wall: 6}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Name":"f"`, `"Name":"s"`, `"Ours":{"Best":1,"Median":2,`, `"Large":{"Best":6,`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
}
