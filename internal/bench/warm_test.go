package main

import "testing"

// TestWarmThreads: a message, a decision and a page are measured on a real thread.
func TestWarmThreads(t *testing.T) {
	s, err := newStage(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.played.Store(asksFor, everyOther())
	w, err := s.warm(t.Context(), "t", 1000)
	if err != nil || w.Cold <= 0 || w.Message <= 0 || w.Decision <= 0 || w.Page <= 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	t.Logf("%+v", w)
}
