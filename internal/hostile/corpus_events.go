package hostile

import (
	"fmt"
	"strings"
)

func nestedJSON(c *corpus) {
	for name, s := range map[string]string{
		"arrays-open": fill(10_000, "["), "arrays": fill(10_000, "[") + fill(10_000, "]"), "objects": strings.Repeat(`{"a":`, 5000) + "1" + fill(5000, "}"),
		"flat": "[" + fill(999_999, "1,") + "]", "empties": "[" + fill(99_998, "[],") + "[]]", "text": quote(fill(1_000_000, "\n\"\\")), "numbers": "[" + fill(100_000, "9") + "]",
	} {
		c.add("json/result-"+name, result(s))
		c.add("json/args-"+name, args(s))
		*c = append(*c, Case{Name: "json/running-" + name, Play: paced(openArgs(len(s)/8+1, s)), End: Stop, Long: name != "arrays" && name != "flat"})
		c.long("json/cut-"+name, openArgs(200, s))
		c.long("json/many-"+name, times(20, result(s)))
	}
	c.add("json/result-10MB", result(quote(fill(10_000_000, "All good. "))))
	c.add("json/args-10MB", args(quote(fill(10_000_000, "All good. "))))
}

func states(c *corpus) {
	item := func(i int) string { return fmt.Sprintf(`{"name":"item %d","qty":%d}`, i, i) }
	items := list(20_000, item)
	touch := func(path string) func(int) string {
		return func(i int) string {
			return fmt.Sprintf(`[{"op":"replace","path":%s,"value":%d}]`, quote(fmt.Sprintf(path, i)), i)
		}
	}
	packing := `{"packing_list":{"title":"Trip","items":[` + items + `]}}`
	c.add("state/items", state(packing, 100, touch("/packing_list/items/%d/qty")))
	c.add("state/items-paced", paced(state(packing, 20, touch("/packing_list/items/%d/qty"))))
	c.add("state/unknown", state(`{"other":{"items":[`+items+`]}}`, 100, touch("/other/items/%d/qty")))
	c.add("state/members", state(`{`+list(20_000, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) })+`}`, 100, touch("/k%d")))
	c.add("state/growing", state(`{"packing_list":{"title":"Trip","items":[]}}`, 5000, func(i int) string { return `[{"op":"add","path":"/packing_list/items/-","value":` + item(i) + `}]` }))
	c.add("state/title", state(`{"packing_list":{"title":`+quote(fill(1_000_000, "a"))+`,"items":[]}}`, 0, nil))
	c.add("state/deep", state(strings.Repeat(`{"a":`, 9000)+"1"+fill(9000, "}"), 20, touch("/b%d")))
	c.add("state/deep-list", state(`{"packing_list":`+fill(9000, "[")+fill(9000, "]")+`}`, 20, touch("/b%d")))
	c.add("state/wide-text", state(`{"packing_list":{"title":"Trip","items":[{"name":`+quote(fill(5_000_000, "n"))+`,"qty":1}]}}`, 20, touch("/packing_list/items/0/q%d")))
	c.add("state/snapshots", times(50, state(packing, 0, nil)))
	c.add("state/copies", state(`{"a":["x"]}`, 40, func(i int) string { return `[{"op":"copy","from":"/a","path":"/a/-"}]` }))
	slots := `{"availability":{"day":"Tuesday","slots":[` + list(20_000, func(i int) string { return quote(fmt.Sprint("slot ", i)) }) + `]}}`
	*c = append(*c, Case{Name: "state/slots", Demo: "strands", Play: state(slots, 100, touch("/k%d"))})
	c.long("state/items-1000-deltas", state(packing, 1000, touch("/packing_list/items/%d/qty")))
}

func pauses(c *corpus) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 300) + `{"type":"string"}` + fill(600, "}")
	wide := `{"type":"object","properties":{` + list(20_000, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string"}`, i) }) + `}}`
	choices := `{"type":"object","properties":{"a":{"enum":[` + list(20_000, func(i int) string { return quote(fmt.Sprint("c", i)) }) + `]}}}`
	big := `{"site":` + quote(fill(5_000_000, "North Pines ")) + `,"nights":2,"total_usd":72}`
	for _, demo := range []string{"mastra", "strands", "langgraph"} {
		for name, p := range map[string]Play{
			"60000": pause(60_000, ask(`{"topic":"t","slot":"s"}`, `{"type":"object"}`)), "5MB": pause(1, ask(big, deep)), "deep-schema": pause(1, ask(`{}`, deep)), "wide-schema": pause(1, ask(`{}`, wide)),
			"choices": pause(1, ask(`{}`, choices)), "200-big": pause(200, ask(`{"topic":`+quote(fill(20_000, "t"))+`,"slot":"s"}`, `{}`)), "deep-payload": pause(1, ask(fill(5000, "[")+fill(5000, "]"), `{}`)),
			"long-message": pause(1, func(int) string { return `{"id":"i","reason":"r","message":` + quote(fill(1_000_000, "word ")) + `}` }),
			"same-id":      pause(5000, func(int) string { return `{"id":"i","reason":"r"}` }),
		} {
			long := demo == "langgraph" || demo == "mastra" && name != "60000" && name != "5MB"
			*c = append(*c, Case{Name: "pause/" + demo + "-" + name, Play: p, Demo: demo, Long: long})
		}
	}
	c.add("pause/suspend-5MB", suspend("reserve_campsite", big))
	c.add("pause/suspend-deep", suspend("reserve_campsite", fill(5000, "[")+fill(5000, "]")))
	c.add("pause/suspend-many", func(o *Out) {
		event(5000, "CUSTOM", "name", "on_interrupt", "value", `{"type":"mastra_suspend","toolCallId":"c%d","toolName":"reserve_campsite","suspendPayload":{"site":"s","nights":2,"total_usd":1}}`)(o)
	})
}

func counts(c *corpus) {
	c.add("count/messages", times(10_000, text("Hello *there*.")))
	c.add("count/calls", times(10_000, call("look", `{"a":1}`, `{"b":2}`)))
	c.add("count/running-calls", times(10_000, openArgs(100, `{"a":`)))
	c.add("count/open-messages", times(5000, openText(100, "Hello")))
	c.add("count/reasoning", times(5000, reasoningBy(100, "Well.")))
	c.add("count/messages-paced", func(o *Out) {
		for range 20 {
			times(500, text("Hello *there*."))(o)
			o.wait()
		}
	})
	c.add("count/subagents", subagents(2000, false, "I look."))
	c.add("count/nested-subagents", subagents(1000, true, "I look."))
	c.add("count/subagent-messages", func(o *Out) {
		o.Event("SUBAGENT_STARTED", "subagentRunId", "s", "name", "helper")
		for i := range 10_000 {
			o.Event("TEXT_MESSAGE_CHUNK", "messageId", fmt.Sprint("s", i), "role", "assistant", "delta", "I look.", "subagentRunId", "s")
			if i%500 == 0 {
				o.wait()
			}
		}
	})
	c.add("count/steps", event(20_000, "STEP_STARTED", "stepName", "step %d"))
	c.add("count/bytes", textBy(1, fill(50_000, "word ")))
	c.long("count/messages-1KB", times(5000, text(fill(1000, "word "))))
	c.long("count/results-10KB", times(1000, result(fill(10_000, "word "))))
}

func snapshots(c *corpus) {
	message := func(prefix string) func(i int) string {
		return func(i int) string {
			return fmt.Sprintf(`{"id":"%s%d","role":"assistant","content":"Hello %d."}`, prefix, i, i)
		}
	}
	same := raw("[" + list(2000, message("m")) + "]")
	c.add("snapshot/same", event(50, "MESSAGES_SNAPSHOT", "messages", same))
	c.add("snapshot/fresh", func(o *Out) {
		for i := range 50 {
			o.Event("MESSAGES_SNAPSHOT", "messages", raw("["+list(2000, message(fmt.Sprint("s", i, "-")))+"]"))
		}
	})
	c.add("snapshot/paced", paced(event(8, "MESSAGES_SNAPSHOT", "messages", same)))
	c.add("snapshot/20000", event(1, "MESSAGES_SNAPSHOT", "messages", raw("["+list(20_000, message("m"))+"]")))
	c.long("snapshot/changing", event(50, "MESSAGES_SNAPSHOT", "messages", raw("["+list(2000, func(i int) string { return fmt.Sprintf(`{"id":"m%d","role":"assistant","content":"> %%d"}`, i) })+"]")))
	c.add("snapshot/users", event(1, "MESSAGES_SNAPSHOT", "messages", raw("["+list(5000, func(i int) string {
		return fmt.Sprintf(`{"id":"u%d","role":"user","content":%s}`, i, quote(fill(500, "I approve. ")))
	})+"]")))
}

func names(c *corpus) {
	big := fill(1_000_000, "id")
	c.add("name/message-id", event(5, "TEXT_MESSAGE_CHUNK", "messageId", big+"%d", "role", "assistant", "delta", "Hello"))
	c.add("name/call-id", event(5, "TOOL_CALL_CHUNK", "toolCallId", big+"%d", "toolCallName", big, "delta", "{}"))
	c.add("name/subagent", event(5, "SUBAGENT_STARTED", "subagentRunId", big+"%d", "name", big))
	c.add("name/step", event(5, "STEP_STARTED", "stepName", big+"%d"))
	c.add("name/custom", event(5, "CUSTOM", "name", big, "value", raw("1")))
	c.add("name/type", event(5, big))
	c.add("name/state-key", state(`{`+quote(big)+`:1}`, 5, func(i int) string {
		return fmt.Sprintf(`[{"op":"add","path":%s,"value":1}]`, quote("/"+big+fmt.Sprint(i)))
	}))
	c.add("name/pointer", state(`{"a":1}`, 20, func(int) string { return `[{"op":"replace","path":"` + fill(100_000, "/a") + `","value":1}]` }))
}

func protocol(c *corpus) {
	token := fill(1_000_000, "no "+Token+"\r\n\x1b[31m time=now level=INFO ")
	c.add("protocol/error-1MB", event(1, "RUN_ERROR", "message", token))
	c.add("protocol/error-code", event(1, "RUN_ERROR", "message", "no", "code", token))
	c.add("protocol/activity", both(event(20, "ACTIVITY_SNAPSHOT", "messageId", "a", "activityType", "PLAN", "content", raw(`{"x":`+quote(fill(500_000, "a"))+`}`)),
		event(500, "ACTIVITY_DELTA", "messageId", "a", "activityType", "PLAN", "patch", raw(`[{"op":"add","path":"/k%d","value":1}]`))))
	c.add("protocol/raw-1MB", event(20, "RAW", "event", raw(`{"x":`+quote(fill(1_000_000, "a"))+`}`)))
	c.add("protocol/raw-deep", event(1, "RAW", "event", raw(fill(100_000, "[")+fill(100_000, "]"))))
	c.add("protocol/custom-1MB", event(20, "CUSTOM", "name", "x", "value", raw(quote(fill(1_000_000, "a")))))
	c.add("protocol/nan", both(text("Hello."), bytesOf("data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":NaN,\"note\":\""+Token+"\\u001b\"}\n\n")))
	c.add("protocol/nan-state", both(text("Hello."), bytesOf("data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"a\":NaN}}\n\n")))
	c.add("protocol/not-utf8", both(bytesOf("data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\""+fill(50_000, "a\xff\xc3")+"\"}\n\n")))
	c.add("protocol/comments", bytesOf(fill(5_000_000, ":\n")))
	c.add("protocol/empty-frames", bytesOf(fill(1_000_000, "data: \n\n")))
	c.add("protocol/many-lines", bytesOf("data: {\"type\":\"RAW\",\"event\":[\n"+fill(1_000_000, "data: 1,\n")+"\ndata: 1]}\n\n"))
	c.add("protocol/no-frame-end", bytesOf("data: "+fill(17<<20, "a")))
	c.add("protocol/diagnostics", event(5000, "TEXT_MESSAGE_CONTENT", "messageId", "nobody%d", "delta", "x", "extra", "y"))
	c.add("protocol/violations", event(5000, "TOOL_CALL_END", "toolCallId", "nobody%d"))
}
