package expense

import "cairn/agenthost/scriptedmodel/script"

func Is(t script.Turn) bool                 { return false }
func IsSpecialist(t script.Turn) bool       { return false }
func Answer(t script.Turn) script.Reply     { return script.Reply{} }
func Specialist(t script.Turn) script.Reply { return script.Reply{} }
