package components

import (
	"maps"

	"github.com/a-h/templ"

	"cairn/internal/markdown"
)

const messageID = "7a0c1d52-0000-4000-8000-000000000001"

func testShell(tab string) Shell {
	demo := DemoLink{Name: "Camping trip", Runtime: "Mastra", URL: "/mastra", Current: true}
	threads := testThreads()
	return Shell{
		Title: "North Pines", Crumb: "North Pines", Demos: []DemoLink{demo}, Current: demo,
		Assets: Assets{CSS: "/s/all.css", Theme: "/s/theme.js", Scripts: []string{"/s/htmx.js", "/s/stream.js"}, Fonts: []string{"/s/a.woff2"}, Icon: "/s/i.svg"},
		Tabs: []TabLink{
			{ID: "run", Label: "Run", URL: "/mastra/t/1", Current: tab == "run"},
			{ID: "code", Label: "Code", URL: "/mastra/t/1/code", Current: tab == "code"},
		},
		NewConversation: "/mastra", Model: "scripted model", Stream: "/t/1/stream?pane=run", Threads: &threads,
	}
}

func testThreads() Threads {
	row := func(id, title, status string) ThreadRow {
		return ThreadRow{
			ID: id, URL: "/mastra/t/" + id, Title: title, Demo: "Camping trip", Status: status, Moment: "2026-11-30T14:05:00Z", When: "14:05",
			Current: id == "1", Rename: "/t/" + id + "/rename", Delete: "/t/" + id + "/delete",
		}
	}
	return Threads{Search: "/threads", At: "1", List: ThreadList{Older: "/threads?page=2", Rows: []ThreadRow{
		row("1", "North Pines", "needs-you"), row("2", "Yosemite weekend", "running"), row("3", "", "failed"), row("4", "Trail", "idle"),
	}}}
}

func testWelcome() Welcome {
	return Welcome{
		Heading: "Where to this weekend?", Lead: "A trip planner.", Action: "/mastra/messages", MessageID: messageID,
		Suggestions: []Suggestion{{Label: "Start a packing list", Description: "A tent to begin with", Text: "Start a list\nwith a tent"}},
	}
}

func testComposer() Composer {
	return Composer{Action: "/t/1/messages", Stop: "/t/1/stop", MessageID: messageID, Status: "Embedded agent · scripted model"}
}

func testBody(key string) Body {
	return Body{Key: key, Closed: []markdown.HTML{markdown.Text("closed")}, Head: markdown.Text("head"), Tail: markdown.Text("tail")}
}

func testApproval(phase string) ApprovalCard {
	return ApprovalCard{
		Key: "p1", Title: "Reservation approval required", Phase: phase,
		Requests: []ApprovalRequest{{Tool: "reserve_campsite", Rows: []Field{{"Campsite", "North Pines"}, {"Nights", "2"}, {"Total", "$90.00"}}}},
		Hint:     "Nothing is booked until you approve.",
		Action:   "/t/1/interrupts/3",
	}
}

func testOver(part string) Over {
	return Over{Note: "Only the beginning is shown.", URL: "/t/1/text/" + part, Bytes: 3 << 20}
}

func testMedia() Media {
	return Media{More: true, List: []Medium{
		{Kind: "image", Label: "image, 3 KB", Picture: "/t/1/media/2-0", Alt: "image from draw_chart", Width: 40, Height: 30, Download: "/t/1/media/2-0?download=1"},
		{Kind: "audio", Label: "audio, 12 KB", Name: "call.mp3", Download: "/t/1/media/2-1?download=1"},
		{Kind: "image", Label: "image", Link: "https://example.com/a.png", Host: "example.com", Note: "It is not loaded from there until you open it."},
		{Kind: "hologram", Label: "hologram", Note: "This page cannot show it."},
	}}
}

func testPanel() Panel {
	return Panel{
		Heading: "Shared state — packing list", Summary: "Yosemite weekend · 2 items", TestID: "packing-state", Foot: "10 patches in this run",
		Body: PackingListView(PackingList{Title: "Yosemite weekend", Items: []PackingItem{{"tent", "1", false}, {"lantern", "1", true}}}),
	}
}

func testFacts(m Mark) Facts {
	return Facts{Title: "Blue Finch Bistro", Mark: m, Rows: []Field{{"Category", "meals"}, {"Amount", "$220.00"}}}
}

func testBooking(m Mark) Facts {
	return Facts{TestID: "booking-state", Title: "Booking", Mark: m, Rows: []Field{{"Topic", "Q3 roadmap review"}, {"Slot", "Tuesday 10:00"}}}
}

func testChat() Chat {
	return Chat{
		Items: []Item{
			{Key: "u-" + messageID, Message: &Message{Role: "user", Status: "complete", Text: "Pack a tent\nplease"}},
			{Key: "a1", Message: &Message{Role: "assistant", Status: "streaming", Body: testBody("a1-body")}},
			{Key: "t1", Tool: &ToolCard{Tool: "check_conditions", Status: "complete", Summary: "clear skies"}},
			{Key: "s1", Subagent: &SubagentCard{Name: "weather_forecaster", Status: "running"}},
			{Key: "e1", Error: &RunError{Text: "The agent could not be reached."}},
			{Key: "p1", Approval: &ApprovalCard{Title: "Approval required", Phase: "pending"}},
		},
		Typing: true, Composer: testComposer(),
	}
}

// cases names every state that is drawn.
func cases() map[string]templ.Component {
	all := map[string]templ.Component{
		"page_run":  RunPageView(RunPage{Shell: testShell("run"), Chat: testChat(), Panel: testPanel()}),
		"page_code": CodePageView(CodePage{Shell: testShell("code"), Files: []FileLink{{"demos/camping.go", "/c/1", "what it registers", true}, {"go.mod", "/c/2", "", false}}, File: CodeFile{Path: "demos/camping.go", Language: "Go", Lines: markdown.Highlight("a.go", "package a\n\nvar x = 1")}}),
		"page_transcript": TranscriptPageView(TranscriptPage{Runtime: "LangGraph", This: TranscriptLink{5, "interrupts", "ask", "/matrix/langgraph/05-ask"}, Before: TranscriptLink{4, "state", "prompt", "/matrix/langgraph/04"},
			Sent: "{}", Answer: "HTTP 200.", Raw: "/matrix/langgraph/05-ask.sse", Frames: []Frame{{1, "0.3 ms", "RUN_STARTED", `{"type":"RUN_STARTED"}`, ""}, {2, "", "", "<b>", "rule R1: not an event"}}}),
		"page_transcript_body": TranscriptPageView(TranscriptPage{Runtime: "Mastra", This: TranscriptLink{28, "input", "array", "/m"}, Sent: "[]", Answer: "HTTP 400.", Raw: "/m.body", Body: `{"detail":"no"}`}),
		"page_error":           ErrorPageView(ErrorPage{Shell: Shell{}, Heading: "Nothing here", Text: "It is gone."}),
		"page_threads":         ThreadsPageView(ThreadsPage{Shell: Shell{Title: "Conversations", Live: "/threads/stream"}, Threads: testThreads()}),
		"page_deleted":         ErrorPageView(ErrorPage{Shell: Shell{}, Heading: "Deleted", Text: "You deleted it.", Restore: "/t/1/restore"}),
		"threads_empty":        ThreadListView(ThreadList{}),
		"threads_failed":       ThreadListView(ThreadList{Failed: true}),
		"threads_none_found":   ThreadListView(ThreadList{Query: "tent", URL: "/threads?q=tent"}),
		"threads_last_page":    ThreadListView(ThreadList{Newer: "/threads", URL: "/threads?page=2"}),
		"thread_notice":        ThreadNoticeView(ThreadNotice{Text: "Deleted “North Pines”.", Restore: "/t/1/restore"}),
		"thread_notice_back":   ThreadNoticeView(ThreadNotice{Text: "Brought back “North Pines”."}),
		"items_empty":          ChatItems(Chat{}),
		"welcome":              WelcomeView(testWelcome()),
		"typing_on":            TypingView(true),
		"typing_off":           TypingView(false),
		"message_user":         MessageView(Message{Key: "m", Role: "user", Status: "complete", Text: "two\nlines"}),
		"message_stopped":      MessageView(Message{Key: "m", Role: "assistant", Status: "stopped", Body: testBody("m-b"), Note: "Stopped by you."}),
		"message_reasoning":    MessageView(Message{Key: "m", Role: "reasoning", Status: "complete", Text: "Hm."}),
		"message_system":       MessageView(Message{Key: "m", Role: "system", Status: "complete", Text: "Be brief."}),
		"subagent_full":        SubagentView(SubagentCard{Key: "s", Name: "weather_forecaster", AskedBy: "asked by the trip planner", Status: "complete", Parts: []SubagentPart{said("s-1"), {Tool: &ToolCard{Key: "s-t", Tool: "lookup", Status: "complete"}}, thought("s-2"), {Subagent: &SubagentCard{Key: "s2", Name: "checker", AskedBy: "asked by weather_forecaster", Status: "running", Parts: []SubagentPart{said("s2-1")}}}}}),
		"approval_no_payload":  ApprovalView(ApprovalCard{Key: "p", Title: "Approval required", Phase: "pending", Requests: []ApprovalRequest{{Tool: "reserve_campsite"}}, Action: "/t/1/interrupts/1"}),
		"approval_choices":     ApprovalView(ApprovalCard{Key: "p", Title: "Answer required", Phase: "pending", Requests: []ApprovalRequest{{Message: "Which colour?", Answers: true, Choices: []string{"Red", "<b>Blue"}}}, Action: "/t/1/interrupts/1"}),
		"approval_unasked":     ApprovalView(ApprovalCard{Key: "p", Title: "Approval required", Phase: "recovery-required", Word: "cannot be answered", Outcome: "The agent paused without saying what it waits for.", Action: "/t/1/interrupts/1"}),
		"tree_empty":           StateTreeView(StateTree{Empty: "Nothing yet."}),
		"tree":                 StateTreeView(StateTree{Cut: true, Nodes: []StateNode{{Name: "title", Value: "Trip"}, {Name: "items", Nodes: []StateNode{{Name: "1", Value: "tent"}}}}}),
		"approval_several": ApprovalView(ApprovalCard{Key: "p", Title: "Expense approval required", Phase: "pending", Action: "/t/1/interrupts/1", Requests: []ApprovalRequest{
			{Tool: "submit_expense", Rows: []Field{{"Vendor", "Blue Finch Bistro"}}, Choice: NameOfChoice(0)}, {Tool: "submit_expense", Message: "Approve the second one?", Choice: NameOfChoice(1)}, {Tool: "lookup", Choice: NameOfChoice(2)},
		}}),
		"error_retry":       RunErrorView(RunError{Key: "e", Text: "The agent answered with an error.", Retry: "/t/1/retry"}),
		"error_send_again":  RunErrorView(RunError{Key: "e", Text: "The line was cut.", Retry: "/t/1/retry", RetryLabel: "Send again", Warning: "The reservation may be made twice."}),
		"panel":             PanelView(testPanel()),
		"panel_updating":    PanelView(Panel{Heading: "Shared state", TestID: "packing-state", Updating: true}),
		"panel_differs":     PanelView(Panel{Heading: "Shared state", TestID: "packing-state", Differs: true}),
		"notice":            NoticeView("The agent of this demo cannot be reached: nothing listens there."),
		"tool_media":        ToolView(ToolCard{Key: "t", Tool: "draw_chart", Status: "complete", Args: "{}", Result: "Sales by month", Media: testMedia()}),
		"message_media":     MessageView(Message{Key: "m", Role: "user", Status: "complete", Media: testMedia()}),
		"packing_empty":     PackingListView(PackingList{Empty: "No list yet."}),
		"packing_no_items":  PackingListView(PackingList{Title: "Yosemite"}),
		"facts_empty":       FactsView(Facts{Empty: "No expense yet."}),
		"facts":             FactsView(testFacts(Mark{})),
		"schedule_empty":    ScheduleView(Schedule{Empty: "No day looked up yet."}),
		"schedule_full_day": ScheduleView(Schedule{Day: "Sunday"}),
		"schedule_booking":  ScheduleView(Schedule{Booking: testBooking(Mark{"booked", ToneDone})}),
		"schedule": ScheduleView(Schedule{
			Day: "Tuesday", Slots: []Slot{{"10:00", true}, {"15:00", false}}, Booking: testBooking(Mark{"pending", ToneWait}),
		}),
		"connection": ConnectionView("/t/1/stream?pane=run"),
		"items_window": ChatItems(Chat{
			Earlier: "/mastra/t/1?before=3", Later: "/mastra/t/1?at=5#e5", Latest: "/mastra/t/1",
			Items: []Item{{Key: "e3", Message: &Message{Role: "user", Status: "complete", Text: "Hi"}}},
		}),
		"items_plain":  ChatItems(Chat{Plain: &Plain{Text: "You:\nHi", Cut: true}}),
		"message_over": MessageView(Message{Key: "m", Role: "user", Status: "complete", Text: "The beginning", Over: testOver("1-text")}),
		"tool_over":    ToolView(ToolCard{Key: "t", Tool: "find", Status: "complete", Args: "{", Result: "[", ArgsOver: testOver("2-args"), ResultOver: testOver("2-result")}),
		"subagent_over": SubagentView(SubagentCard{Key: "s", Name: "forecaster", Status: "complete", Parts: []SubagentPart{said("s-1")},
			Over: Over{Note: "Only the latest of its work is shown.", URL: "/t/1/text/3-work"}}),
		"approval_over": ApprovalView(ApprovalCard{
			Key: "p", Title: "Approval required", Phase: "pending", Action: "/t/1/interrupts/1", Of: 5000, OnlyDecline: true,
			Over: testOver("4-asked"), Requests: []ApprovalRequest{{Tool: "lookup", Rows: []Field{{"Site", "North Pines"}}}},
		}),
	}
	for _, status := range []string{"running", "complete", "error", "incomplete"} {
		all["tool_"+status] = ToolView(ToolCard{Key: "t", Tool: "check_conditions", Status: status, Summary: "clear", Args: "{\n  \"site\": 1\n}", Result: "{}"})
	}
	for _, status := range []string{"pending", "running", "complete", "error"} {
		s := SubagentCard{Key: "s", Name: "weather_forecaster", AskedBy: "asked by the trip planner", Status: status}
		if status == "error" {
			s.Error = "It did not answer."
		}
		all["subagent_"+status] = SubagentView(s)
	}
	for _, phase := range []string{"collecting", "pending", "sending", "approved", "declined", "uncertain", "recovery-required", "expired"} {
		all["approval_"+phase] = ApprovalView(testApproval(phase))
	}
	for _, tone := range []Tone{ToneWait, ToneDone, ToneOff, ToneOther} {
		all["facts_"+string(tone)] = FactsView(testFacts(Mark{"a word", tone}))
	}
	booked := testApproval("approved")
	booked.Outcome = "Booked. Confirmation TP-0288."
	all["approval_booked"] = ApprovalView(booked)
	maps.Copy(all, formCases())

	c := testComposer()
	all["composer_idle"] = ComposerView(c)
	c.Running = true
	all["composer_running"] = ComposerState(c)
	c.Running, c.Blocked = false, true
	all["composer_blocked"] = ComposerState(c)
	c.Blocked, c.Error, c.Draft = false, "That message is too long.", "  my\ndraft"
	all["composer_refused"] = ComposerView(c)

	first := Chat{Composer: Composer{Action: "/mastra/messages", MessageID: messageID, Placeholder: "Ask the trip planner…"}}
	w := testWelcome()
	first.Welcome = &w
	bare := testShell("run")
	bare.Assets, bare.Stream, bare.Live = Assets{Missing: true, CSS: "/s/all.css"}, "", "/threads/stream"
	all["page_welcome_without_scripts"] = RunPageView(RunPage{Shell: bare, Chat: first, Panel: Panel{Heading: "Shared state", TestID: "packing-state"}})
	return all
}

// said and thought are parts of a subagent's card.
func said(key string) SubagentPart {
	b := testBody(key)
	return SubagentPart{Body: &b}
}

func thought(key string) SubagentPart {
	p := said(key)
	p.Thought = true
	return p
}
