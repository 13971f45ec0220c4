// Package probe measures what an AG-UI endpoint does, surface by surface: it
// drives it with the prompts of a [Scenario], keeps every byte that was sent and
// received as a [Recording], and judges the recording ([Evaluate]).
//
// It never sends more requests than [Plan] lists, never repeats one, follows no
// redirect, starts and stops no service, and keeps neither the host it talked to nor
// the token; a token of less than eight bytes is no secret, and stays where the agent
// repeats it. It does not know any runtime: what differs is in the scenario.
//
// Judging is a pure function of a recording, so that a matrix can be made again
// from committed transcripts.
//
// # A recording
//
// A directory with recording.json and, for transcript 7, 07-interrupts-ask.sse (the
// answer's body as it came; .body when it is no event stream),
// 07-interrupts-ask.request.json and 07-interrupts-ask.times.json (when each frame
// came; cairn/agentclient/agenttest plays a transcript with it). A step of a plan
// has the same number whether or not the steps before it were sent.
//
// # Status
//
// A surface is "not probed" when the scenario has no prompt for it, when nothing
// was sent, or when what came says nothing about it. Of the rest, the first row
// that fits counts. Any surface that would be supported is partial when one of its
// streams breaks the protocol: a frame that is no event or lacks a required member,
// an order rule (package cairn/agentclient/verify), or an end that is missing.
//
//	surface      broken                    absent                 partial                         supported
//	messages     a run does not finish     no text at all         text in one piece or in a       every message is answered,
//	                                                              snapshot alone; one unanswered  in deltas
//	tools        the run does not finish   no TOOL_CALL_*         no END, no RESULT, or           START, arguments, END, RESULT
//	                                                              arguments that are not JSON
//	state        a run does not finish; a  no STATE_*             snapshots alone; always empty;  snapshots and deltas, all of
//	             delta that nothing                               a delta that the next snapshot  which apply
//	             repairs                                          repairs
//	interrupts   asks and cannot be        neither an outcome     a wrong id is taken or uses     approve and decline work, and
//	             answered; approve or      nor on_interrupt       the question up; a repeated     nothing else counts as an
//	             decline do not work;                             answer acts again; a missing    answer
//	             acts without approval                            answer or a message uses the
//	                                                              question up or is dropped
//	subagents    the run does not finish   no SUBAGENT_STARTED,   not announced, no words, no     attributed deltas between
//	                                       nothing attributed     end, an error, or all words in  start and end
//	                                                              one burst after a silence
//	errors       the run has no end        the run finishes       an HTTP status instead of       RUN_ERROR, and the next
//	                                                              RUN_ERROR; the thread is lost   message is answered
//	abort        the next run has no end   -                      the next run's text is more     the next run is answered at
//	                                                              than 2 s late, or is refused    once, or refused and answered
//	                                                              2 s later as well               2 s later
//	concurrency  one of two runs has no    both talk at once      the second ends the first       the second is refused, or
//	             end                                                                              talks after the first
//	input        a wrong body is left      none is refused        some are refused with           every wrong body is refused
//	             without an answer                                RUN_ERROR, 5xx or not at all    with HTTP 4xx
//	auth         a stranger gets a run     -                      another status than 401 or 403  401 or 403
//
// An approval works when its run finishes, does not ask again, says something and,
// where the scenario has an expression for what is done, shows it; when the tool's
// result shows it, words alone prove nothing. A repeated answer that brings the
// recorded result again, and no words, is no second act.
//
// # Cause
//
//	none             there is no gap
//	protocol         AG-UI has no rule for it: two runs on one thread
//	upstream bridge  what the endpoint sent, or did not send; everything else
//	ours             this program could not send the answer: the scenario's
//	                 transport does not fit the question, or it cannot be encoded
package probe
