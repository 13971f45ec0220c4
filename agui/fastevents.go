package agui

// event builds the event of the type that was read, nil for other types.
func (f *flat) event() Event {
	t := f.get(mType)
	if len(t) < 2 || f.escaped.has(mType) {
		return nil
	}
	switch string(t[1 : len(t)-1]) {
	case string(TypeRunStarted):
		if f.odd { // it may have an input
			return nil
		}
		return &RunStarted{f.base(TypeRunStarted), f.need(mThreadID), f.need(mRunID), f.str(mParentRunID), f.str(mProtocolVersion), nil}
	case string(TypeRunFinished):
		if f.odd { // it may have a result, an outcome or a usage
			return nil
		}
		return &RunFinished{Base: f.base(TypeRunFinished), ThreadID: f.need(mThreadID), RunID: f.need(mRunID)}
	case string(TypeTextMessageStart):
		return &TextMessageStart{f.base(TypeTextMessageStart), f.need(mMessageID), Role(f.str(mRole)), f.str(mName)}
	case string(TypeTextMessageContent):
		return &TextMessageContent{f.base(TypeTextMessageContent), f.need(mMessageID), f.need(mDelta)}
	case string(TypeTextMessageEnd):
		return &TextMessageEnd{f.base(TypeTextMessageEnd), f.need(mMessageID)}
	case string(TypeTextMessageChunk):
		// The strings the event points to lie behind it, to save allocations.
		e := new(struct {
			TextMessageChunk
			id, name, delta string
			role            Role
		})
		e.Base = f.base(TypeTextMessageChunk)
		e.MessageID, e.Name, e.Delta = f.ptr(mMessageID, &e.id), f.ptr(mName, &e.name), f.ptr(mDelta, &e.delta)
		if f.ptr(mRole, (*string)(&e.role)) != nil {
			e.Role = &e.role
		}
		return &e.TextMessageChunk
	case string(TypeToolCallStart):
		return &ToolCallStart{f.base(TypeToolCallStart), f.need(mToolCallID), f.need(mToolCallName), f.str(mParentMessageID)}
	case string(TypeToolCallArgs):
		return &ToolCallArgs{f.base(TypeToolCallArgs), f.need(mToolCallID), f.need(mDelta)}
	case string(TypeToolCallEnd):
		return &ToolCallEnd{f.base(TypeToolCallEnd), f.need(mToolCallID)}
	case string(TypeToolCallChunk):
		e := new(struct {
			ToolCallChunk
			id, name, parent, delta string
		})
		e.Base = f.base(TypeToolCallChunk)
		e.ToolCallID, e.ToolCallName = f.ptr(mToolCallID, &e.id), f.ptr(mToolCallName, &e.name)
		e.ParentMessageID, e.Delta = f.ptr(mParentMessageID, &e.parent), f.ptr(mDelta, &e.delta)
		return &e.ToolCallChunk
	case string(TypeToolCallResult):
		content := Content{f.json(mContent)}
		if string(content.Raw) == "null" {
			content.Raw, f.odd = nil, true
		}
		return &ToolCallResult{f.base(TypeToolCallResult), f.need(mMessageID), f.need(mToolCallID), content, Role(f.str(mRole))}
	case string(TypeReasoningStart):
		return &ReasoningStart{f.base(TypeReasoningStart), f.need(mMessageID)}
	case string(TypeReasoningEnd):
		return &ReasoningEnd{f.base(TypeReasoningEnd), f.need(mMessageID)}
	case string(TypeReasoningMessageStart):
		return &ReasoningMessageStart{f.base(TypeReasoningMessageStart), f.need(mMessageID), Role(f.need(mRole))}
	case string(TypeReasoningMessageContent):
		return &ReasoningMessageContent{f.base(TypeReasoningMessageContent), f.need(mMessageID), f.need(mDelta)}
	case string(TypeReasoningMessageEnd):
		return &ReasoningMessageEnd{f.base(TypeReasoningMessageEnd), f.need(mMessageID)}
	case string(TypeReasoningMessageChunk):
		e := new(struct {
			ReasoningMessageChunk
			id, delta string
		})
		e.Base = f.base(TypeReasoningMessageChunk)
		e.MessageID, e.Delta = f.ptr(mMessageID, &e.id), f.ptr(mDelta, &e.delta)
		return &e.ReasoningMessageChunk
	case string(TypeStepStarted):
		return &StepStarted{f.base(TypeStepStarted), f.need(mStepName)}
	case string(TypeStepFinished):
		return &StepFinished{f.base(TypeStepFinished), f.need(mStepName)}
	case string(TypeStateSnapshot):
		return &StateSnapshot{f.base(TypeStateSnapshot), f.json(mSnapshot)}
	case string(TypeStateDelta):
		return &StateDelta{f.base(TypeStateDelta), f.json(mDelta)}
	case string(TypeRaw):
		return &Raw{f.base(TypeRaw), f.json(mEvent), f.str(mSource)}
	case string(TypeCustom):
		return &Custom{f.base(TypeCustom), f.need(mName), f.json(mValue)}
	}
	return nil
}

func (f *flat) base(t EventType) Base {
	const besides = 1<<mTimestamp | 1<<mSubagentRunID | 1<<mMetadata | 1<<mRawEvent
	if f.present&besides == 0 { // nearly always
		return Base{Type: t}
	}
	b := Base{Type: t, Timestamp: f.milliseconds(), SubagentRunID: f.str(mSubagentRunID)}
	switch {
	case f.has(mMetadata):
		b.Metadata = f.object(mMetadata)
	case f.present.has(mMetadata):
		f.odd = true // null, which is reported
	}
	if f.has(mRawEvent) {
		b.RawEvent = f.json(mRawEvent)
	}
	return b
}
