// Package conformance holds the tests of the protocol's own client as data, and
// plays them through ours: order and chunks through package verify, the reducer and
// compaction through package conversation, framing through package agui/sse. It
// exports nothing.
//
// Each line of testdata is one case: the input of a test of the npm package
// @ag-ui/client, as JSON, and what its release 1.0.0 makes of it. A label is the
// subject of the test and a number. Cases in which ours differs are listed in
// departures_test.go, each with its reason: those that depart deliberately, and those
// in which ours is wrong. After a change of what ours makes of them, run the tests with
// -update.
package conformance
