package agentclient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Cause is why a connection was not made, or was lost.
type Cause string

const (
	CauseRefused     Cause = "refused"      // nothing listens at the agent's address
	CauseUnknownHost Cause = "unknown-host" // its host name does not resolve
	CauseUnreachable Cause = "unreachable"  // there is no way to its network
	CauseTLS         Cause = "tls"          // no secure connection, such as for its certificate
	CauseTimeout     Cause = "timeout"      // it did not answer in time
	CauseDropped     Cause = "dropped"      // the connection was lost
	CauseUnfinished  Cause = "unfinished"   // the answer ended in good order, before the run did
)

// causeOf returns the cause of a transport's error, empty when it is another one.
func causeOf(err error) Cause {
	var (
		name     *net.DNSError
		verify   *tls.CertificateVerificationError
		header   tls.RecordHeaderError
		alert    tls.AlertError
		unknown  x509.UnknownAuthorityError
		host     x509.HostnameError
		invalid  x509.CertificateInvalidError
		deadline interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &name) && !name.IsTimeout:
		return CauseUnknownHost
	case errors.As(err, &verify), errors.As(err, &header), errors.As(err, &alert), errors.As(err, &unknown),
		errors.As(err, &host), errors.As(err, &invalid), errors.Is(err, http.ErrSchemeMismatch):
		return CauseTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return CauseRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return CauseUnreachable
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), closedByHTTP(err):
		return CauseDropped
	case errors.As(err, &deadline) && deadline.Timeout():
		return CauseTimeout
	}
	return ""
}

// closedByHTTP reports whether an error of net/http means, by its text alone, that the connection is lost.
func closedByHTTP(err error) bool {
	text := err.Error()
	for _, words := range []string{"server closed idle connection", "stream error: ", "GOAWAY", "client connection lost"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
