package agui_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"cairn/agui"
)

func source(t agui.SourceType, value, mime string) *agui.Source {
	return &agui.Source{Type: t, Value: value, MimeType: mime}
}

func TestParts(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []agui.ContentPart
		left     []string
	}{
		{"absent", ``, nil, nil},
		{"object", `{"a":1}`, nil, nil},
		{"string", `"hi"`, []agui.ContentPart{{Type: agui.PartText, Text: "hi"}}, nil},
		{"empty", `[]`, nil, nil},
		{"text", ` [{"type":"text","text":"","id":"1","metadata":7}]`, []agui.ContentPart{{Type: agui.PartText, ID: "1", Metadata: json.RawMessage("7")}}, nil},
		{"media", `[{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":null},
			{"type":"audio","source":{"type":"url","value":"https://a"}},{"type":"video","source":{"type":"url","value":"https://v","mimeType":"video/mp4"}},
			{"type":"document","source":{"type":"file","value":"f","provider":"p"}}]`,
			[]agui.ContentPart{{Type: agui.PartImage, Source: source("data", "aGk=", "image/png")}, {Type: agui.PartAudio, Source: source("url", "https://a", "")},
				{Type: agui.PartVideo, Source: source("url", "https://v", "video/mp4")}, {Type: agui.PartDocument, Source: &agui.Source{Type: "file", Value: "f", Provider: "p"}}}, nil},
		{"binary", `[{"type":"binary","mimeType":"image/png","data":"aGk=","url":"https://x","filename":"a.png","id":"1"},
			{"type":"binary","mimeType":"audio/wav","url":"https://x"},{"type":"binary","mimeType":"video/mp4","data":"x"},{"type":"binary","mimeType":"application/pdf","url":"https://x"}]`,
			[]agui.ContentPart{{Type: agui.PartImage, ID: "1", Source: source("data", "aGk=", "image/png"), Metadata: json.RawMessage(`{"filename":"a.png"}`)},
				{Type: agui.PartAudio, Source: source("url", "https://x", "audio/wav")}, {Type: agui.PartVideo, Source: source("data", "x", "video/mp4")},
				{Type: agui.PartDocument, Source: source("url", "https://x", "application/pdf")}}, nil},
		{"binary beside its twin", `[{"type":"binary","mimeType":"image/png","data":"x"},{"type":"image","source":{"type":"data","value":"x","mimeType":"image/png"}}]`,
			[]agui.ContentPart{{Type: agui.PartImage, Source: source("data", "x", "image/png")}}, nil},
		{"left out", `[{"type":"binary","mimeType":"image/png","id":"1"},{"type":"text"},{"type":"image"},{"type":"image","source":{"type":"data","value":"x"}},
			{"type":"image","source":{"type":"new","value":"x"}},{"type":"new"},{},null,7,{"type":"text","text":7},{"type":"text","text":"ok"}]`,
			[]agui.ContentPart{{Type: agui.PartText, Text: "ok"}},
			[]string{"[0]: binary part with neither data nor url; left out", "[1]: text part without text; left out", "[2]: image part without a source; left out",
				"[3]: data source without a mimeType; left out", `[4]: source of unknown type "new"; left out`, `[5]: part of unknown type "new"; left out`,
				`[6]: part of unknown type ""; left out`, "[7]: not a content part; left out", "[8]: not a content part; left out", "[9]: text: want a string, found the number 7; left out"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, diags := agui.Content{Raw: json.RawMessage(tt.in)}.Parts()
			if len(got)+len(tt.want) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			var left []string
			for _, d := range diags {
				left = append(left, d.String())
			}
			if !reflect.DeepEqual(left, tt.left) {
				t.Errorf("left out %q, want %q", left, tt.left)
			}
			if len(got) == 0 {
				return
			}
			again, err := agui.PartsContent(got...)
			if err != nil {
				t.Fatal(err)
			}
			if back, _ := again.Parts(); !reflect.DeepEqual(back, got) {
				t.Errorf("written as %s", again.Raw)
			}
		})
	}
}

func TestPartsContentRefuses(t *testing.T) {
	for _, p := range []agui.ContentPart{
		{}, {Type: "binary"}, {Type: agui.PartImage}, {Type: agui.PartText, Source: source("url", "x", "")},
		{Type: agui.PartImage, Source: source("data", "x", "")}, {Type: agui.PartImage, Source: source("x", "x", "")},
		{Type: agui.PartText, Metadata: json.RawMessage("{")}, {Type: agui.PartText, Metadata: json.RawMessage("null")},
	} {
		if c, err := agui.PartsContent(p); err == nil {
			t.Errorf("%+v: wrote %s", p, c.Raw)
		}
	}
	if c, err := agui.PartsContent(); err != nil || string(c.Raw) != "[]" {
		t.Errorf("no parts: %s, %v", c.Raw, err)
	}
}

func TestContentText(t *testing.T) {
	for in, want := range map[string]string{
		``: "", `"a"`: "a", `{"a":1}`: "", `7`: "", `[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]`: "ab", `[`: "",
	} {
		if got := (agui.Content{Raw: json.RawMessage(in)}).Text(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// Parts that come in numbers cost time in proportion.
func TestManyParts(t *testing.T) {
	in := "[" + strings.Repeat(`{"type":"binary","mimeType":"image/png","data":"x"},`, 50_000) + `{"type":"text","text":"a"}]`
	if parts, _ := (agui.Content{Raw: json.RawMessage(in)}).Parts(); len(parts) != 50_001 {
		t.Errorf("%d parts", len(parts))
	}
}
