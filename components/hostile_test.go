package components

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"cairn/internal/markdown"
)

// hostile breaks out of text, of an attribute and of a line of the stream.
const hostile = `x"'></textarea></script><b hx-get=/a hx-trigger=load onclick=alert(1) style=color:red>` + "\r\ndata: forged\r"

// trusted are the fields that are ours by contract: element ids, URLs and the words of
// closed sets that the page's own code chooses.
var trusted = map[string]bool{
	"Key": true, "URL": true, "Action": true, "Stop": true, "Retry": true, "Stream": true, "NewConversation": true,
	"Rename": true, "Delete": true, "Restore": true, "Search": true, "Newer": true, "Older": true, "Live": true, "At": true, "Earlier": true, "Later": true, "Latest": true,
	"MessageID": true, "ID": true, "TestID": true, "CSS": true, "Theme": true, "Icon": true, "Scripts": true, "Fonts": true,
}

// poison sets every untrusted string of a struct to the hostile one.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && !trusted[v.Type().Field(i).Name] {
				poison(f)
			}
		}
	case reflect.String:
		if v.Type() != reflect.TypeFor[markdown.HTML]() {
			v.SetString(hostile)
		}
	}
}

func poisoned[T any](v T) T {
	poison(reflect.ValueOf(&v).Elem())
	return v
}

// hostileViews are all parts with hostile text in every field an agent, a user or a file
// can write. Statuses stay real in some, so that every branch is drawn.
func hostileViews() []templ.Component {
	run := RunPage{Shell: testShell("run"), Chat: testChat(), Panel: testPanel()}
	for i := range run.Chat.Items {
		if a := run.Chat.Items[i].Approval; a != nil {
			*a = testApproval("pending")
		}
	}
	w := testWelcome()
	views := []templ.Component{
		RunPageView(poisoned(run)), WelcomeView(poisoned(w)), ComposerView(poisoned(testComposer())),
		CodePageView(poisoned(CodePage{Shell: testShell("code"), Files: []FileLink{{"a", "/c", "n", true}}, File: CodeFile{"a", "Go", markdown.Highlight("a.go", hostile)}})),
		ErrorPageView(poisoned(ErrorPage{Shell: testShell("")})),
		ThreadsView(poisoned(testThreads())), ThreadListView(ThreadList{Query: hostile, URL: hostile}), ThreadNoticeView(poisoned(ThreadNotice{Restore: "/t/1/restore"})),
		PackingListView(poisoned(PackingList{Items: []PackingItem{{New: true}}})), PackingListView(PackingList{Empty: hostile}),
		StateTreeView(poisoned(StateTree{Nodes: []StateNode{{Nodes: []StateNode{{}}}, {}}})), StateTreeView(StateTree{Empty: hostile}),
		FactsView(poisoned(testFacts(Mark{}))), FactsView(Facts{Empty: hostile}), ScheduleView(Schedule{Empty: hostile}),
		ScheduleView(poisoned(Schedule{Slots: []Slot{{Chosen: true}}, Booking: testBooking(Mark{})})),
	}
	for _, role := range []string{"user", "assistant", "reasoning", "system", hostile} {
		views = append(views, MessageView(Message{Key: "m", Role: role, Status: hostile, Text: hostile, Note: hostile}))
	}
	for _, phase := range []string{"pending", "approved", hostile} {
		a := poisoned(testApproval(phase))
		a.Phase = phase
		b := a
		b.Requests = []ApprovalRequest{{Tool: hostile}, {Message: hostile}}
		views = append(views, ApprovalView(a), ApprovalView(b))
	}
	views = append(views,
		OverView(poisoned(Over{URL: "/t/1/text/1-text"})), PlainView(poisoned(Plain{Cut: true})),
		ToolView(poisoned(ToolCard{Key: "t"})),
		SubagentView(poisoned(SubagentCard{Key: "s", Parts: []SubagentPart{{Tool: &ToolCard{Key: "t"}}}})),
		RunErrorView(poisoned(RunError{Key: "e", Retry: "/r"})))
	return views
}

func TestHostileTextStaysText(t *testing.T) {
	for i, view := range hostileViews() {
		out := render(t, view)
		if !strings.Contains(out, "forged") {
			t.Errorf("view %d shows nothing of the hostile text: the test proves nothing", i)
		}
		each(t, out, func(n *html.Node) {
			if n.Data == "b" {
				t.Errorf("view %d: hostile text became an element", i)
			}
			for _, a := range n.Attr {
				if (a.Key == "id" || a.Key == "class") && strings.Contains(a.Val, "forged") {
					t.Errorf("view %d: untrusted text in %s", i, a.Key)
				}
			}
		})
	}
}

// The content security policy forbids these; a part that needs one is broken in a
// browser only, so it is caught here.
func TestNothingInline(t *testing.T) {
	views := hostileViews()
	for _, c := range cases() {
		views = append(views, c)
	}
	for _, view := range views {
		each(t, render(t, view), func(n *html.Node) {
			if n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
				t.Errorf("inline <%s>", n.Data)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") || strings.HasPrefix(a.Val, "js:") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		})
	}
}

// Ids are unique on a page: the morph and labels go by them.
func TestIDsAreUnique(t *testing.T) {
	for name, c := range cases() {
		seen := map[string]bool{}
		each(t, render(t, c), func(n *html.Node) {
			for _, a := range n.Attr {
				if a.Key == "id" && a.Val != "" && seen[a.Val] {
					t.Errorf("%s: id %q twice", name, a.Val)
				} else if a.Key == "id" {
					seen[a.Val] = true
				}
			}
		})
	}
}

// htmx reads this as JSON; a slip would silently leave it with its defaults.
func TestHtmxConfig(t *testing.T) {
	var config struct {
		Extensions string `json:"extensions"`
		NoSwap     []any  `json:"noSwap"`
		History    *bool  `json:"history"`
	}
	if err := json.Unmarshal([]byte(htmxConfig), &config); err != nil {
		t.Fatal(err)
	}
	if config.Extensions != "sse,stream" || fmt.Sprint(config.NoSwap) != "[204 304 4xx 5xx]" || config.History == nil || *config.History {
		t.Errorf("config %+v", config)
	}
}

func each(t *testing.T, src string, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}
