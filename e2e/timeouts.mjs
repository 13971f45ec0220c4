// How long the tests wait, in milliseconds. The limits only end what hangs: a step takes
// well under a second, a test some seconds, and a busy machine is 20 times slower.
export const step = 60_000 // one expectation, or a program's start
export const whole = 5 * step // one test with its fixtures
