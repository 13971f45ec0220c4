package view

import (
	"log/slog"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/demos"
	"cairn/internal/crash"
	"cairn/internal/thread"
)

// panel is a demo's panel on a thread. It sees each record folded, since it may hold back
// a form of the state that only lasts a moment, and so it is the same in a page that is
// loaded late.
type panel struct {
	demos.Panel
	demo    demos.Demo
	thread  *agentclient.Session
	decided []demos.Decided
	logger  *slog.Logger
	crashed error // of a panic; what the panel shows is not known then
}

// Panels returns how a keeper of threads attaches the panels of demos to them.
func Panels(all []demos.Demo, logger *slog.Logger) func(demo string, s *agentclient.Session) thread.Follower {
	bySlug := map[string]demos.Demo{}
	for _, d := range all {
		bySlug[d.Slug] = d
	}
	return func(slug string, s *agentclient.Session) thread.Follower {
		d, ok := bySlug[slug]
		if !ok {
			return nil
		}
		return &panel{Panel: d.NewPanel(), demo: d, thread: s, logger: logger}
	}
}

// Folded updates the panel.
func (p *panel) Folded(effects []agentclient.Effect) {
	run, state := false, false
	for _, e := range effects {
		switch e.Kind {
		case agentclient.EffectRun:
			run = true
		case agentclient.EffectState:
			state = true
		case agentclient.EffectEntry:
			run = run || p.isLastApproval(e.Key)
		}
	}
	if p.crashed != nil || !run && !state {
		return
	}
	p.crashed = crash.Run(p.logger, "a conversation could not be drawn", func() error {
		if run {
			p.decided = p.provenDecisions()
		}
		p.Update(demos.Shared{State: p.thread.Conversation.Shared(), Running: p.thread.Run.Open, Decided: p.decided})
		return nil
	}, "thread", p.thread.ThreadID())
}

func (p *panel) isLastApproval(key int) bool {
	asked := p.thread.Approvals()
	return len(asked) > 0 && asked[len(asked)-1].Key == key
}

// provenDecisions are the requests of the last question whose outcome is proven.
func (p *panel) provenDecisions() (all []demos.Decided) {
	asked := p.thread.Approvals()
	if len(asked) == 0 {
		return nil
	}
	a := asked[len(asked)-1]
	if a.Own() == nil || a.Phase != interrupt.PhaseNone || a.Left != "" {
		return nil
	}
	for i, q := range a.Pending[:min(len(a.Pending), maxRequests)] {
		if _, proven := outcomeOf(p.demo, p.thread, a, i); proven {
			all = append(all, demos.Decided{Asked: q, Approved: a.Own().Each[i].Approved})
		}
	}
	return all
}
