package inmem_test

import (
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/inmem"
	"cairn/agenthost/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) (agenthost.Store, func() agenthost.Store) {
		s := inmem.New()
		return s, func() agenthost.Store { return s }
	})
}
