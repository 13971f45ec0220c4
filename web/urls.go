package web

import (
	"net/url"
	"strconv"

	"cairn/internal/view"
)

// URLs are the routes a thread's page posts to.
func URLs() view.URLs {
	return view.URLs{
		Messages: func(t string) string { return "/t/" + url.PathEscape(t) + "/messages" },
		Stop:     func(t string) string { return "/t/" + url.PathEscape(t) + "/stop" },
		Retry: func(t string, failure int64) string {
			return "/t/" + url.PathEscape(t) + "/retry?failure=" + strconv.FormatInt(failure, 10)
		},
		Regenerate: func(t, run string) string {
			return "/t/" + url.PathEscape(t) + "/regenerate?run=" + url.QueryEscape(run)
		},
		Decide: func(t string, generation int) string {
			return "/t/" + url.PathEscape(t) + "/interrupts/" + strconv.Itoa(generation)
		},
		Page: demoURL,
		Before: func(demo, t string, key int) string {
			return demoURL(demo, t) + "?before=" + strconv.Itoa(key)
		},
		At: func(demo, t string, key int) string {
			return demoURL(demo, t) + "?at=" + strconv.Itoa(key) + "#e" + strconv.Itoa(key)
		},
		Text:  func(t, part string) string { return threadURL(t, "text/"+url.PathEscape(part)) },
		Media: func(t, part string) string { return threadURL(t, "media/"+url.PathEscape(part)) },
	}
}

// demoURL is the Run tab of a thread, or of a new conversation without one.
func demoURL(demo, thread string) string {
	if thread == "" {
		return "/" + demo
	}
	return "/" + demo + "/t/" + thread
}

func codeURL(demo, thread, file string) string {
	u := demoURL(demo, thread) + "/code"
	if file != "" {
		u += "/" + file
	}
	return u
}

// threadURL is where a form about a conversation goes.
func threadURL(thread, what string) string { return "/t/" + url.PathEscape(thread) + "/" + what }

// threadsStreamURL is the stream of a page without one of its own; at is the conversation
// and demo the demo it is of, both may be "".
func threadsStreamURL(at, demo string) string {
	query := url.Values{}
	if at != "" {
		query.Set("at", at)
	}
	if demo != "" {
		query.Set("demo", demo)
	}
	if len(query) == 0 {
		return threadsURL + "/stream"
	}
	return threadsURL + "/stream?" + query.Encode()
}

func streamURL(thread string) string { return "/t/" + thread + "/stream?pane=run" }
