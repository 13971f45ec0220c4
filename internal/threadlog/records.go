package threadlog

import "context"

// Records are small values beside the threads, such as leases. A caller that knows a
// record's revision may change it. Key makes the keys of a thread's.
type Records interface {
	// CompareAndSet stores value under key if the key's revision is rev; rev 0
	// means that the key must not exist. Revisions grow. ErrConflict.
	CompareAndSet(ctx context.Context, key string, rev int64, value []byte) (newRev int64, err error)
	// Get finds the value and revision of a key. ErrNotFound.
	Get(ctx context.Context, key string) (value []byte, rev int64, err error)
}
