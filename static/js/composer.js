// Writing and sending. The reader's message is on the page before the server has it,
// under the id the server will assign, and comes back into the field when it is refused.
(() => {
  const form = document.getElementById('composer')
  if (!form) return
  const draft = document.getElementById('draft')
  const problem = document.getElementById('composer-error')
  const state = () => document.getElementById('composer-state')
  const $ = (id) => document.getElementById(id)

  // Ids this tab has sent, with the text: an id may repeat only with its text, and only
  // until it was accepted. The server takes a repeat as the same message.
  const sent = new Map()
  let flight = null // {id, text, source}: one message at a time

  const store = {
    get: (key) => { try { return sessionStorage.getItem(key) } catch { return null } },
    set: (key, value) => { try { value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key) } catch { /* private window */ } },
  }
  const draftKey = (path) => 'draft:' + path
  const keep = () => store.set(draftKey(location.pathname), draft.value)

  function newId() { // randomUUID needs a secure context; a home network is none
    const b = crypto.getRandomValues(new Uint8Array(16))
    b[6] = (b[6] & 15) | 64
    b[8] = (b[8] & 63) | 128
    const hex = [...b].map((n) => n.toString(16).padStart(2, '0')).join('')
    return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  }

  // On a phone the text field would bring up its keyboard.
  const typing = () => !matchMedia('(pointer: coarse)').matches

  function refresh() {
    const send = $('send')
    if (send) send.disabled = !!flight || 'blocked' in state().dataset || !draft.value.trim()
  }
  const grows = CSS.supports('field-sizing', 'content')
  function grow() {
    if (grows) return
    draft.style.height = 'auto'
    draft.style.height = draft.scrollHeight + 'px'
  }
  function write(text) {
    draft.value = text
    keep()
    grow()
    refresh()
  }
  let until = '' // the state that the words are about: they go when it is over
  function tell(words, state = '') {
    problem.textContent = words
    problem.hidden = !words
    until = state
  }

  function showMine() {
    if (!flight || $('u-' + flight.id)) return
    const bubble = $('user-template').content.firstElementChild.cloneNode(true)
    bubble.id = 'u-' + flight.id
    bubble.querySelector('.bubble').textContent = flight.text
    if ($('welcome')) $('welcome').hidden = true
    $('typing').before(bubble)
    $('typing').hidden = false
  }
  function takeBack({ id, text, source }, words) {
    $('u-' + id)?.remove()
    $('typing').hidden = !('on' in $('typing').dataset)
    if ($('welcome')) $('welcome').hidden = false
    if (source === form) {
      write(draft.value.trim() ? text + '\n' + draft.value : text)
      draft.focus()
    }
    tell(words)
  }

  // words returns the message for a refused request: the server's own text when it sent one.
  function words(ctx) {
    const type = ctx.response.headers.get('content-type') ?? ''
    let text = type.startsWith('text/plain') ? ctx.text : ''
    if (type.startsWith('application/json')) try { text = JSON.parse(ctx.text).message } catch { /* no sentence */ }
    if (typeof text === 'string' && text.trim()) return text.trim().slice(0, 400)
    if (ctx.response.status === 409) return 'The agent is still answering. Your text is still here.'
    if (ctx.response.status === 413) return 'That message is too long. Your text is still here.'
    return 'That was not accepted. Your text is still here.'
  }

  function submit() {
    if (flight || !draft.value.trim()) return
    if ('running' in state().dataset) return tell('The agent is still answering. Wait for it or press Stop; your draft stays here.', 'running')
    if ('blocked' in state().dataset) return tell('Decide on the request above first; your draft stays here.', 'blocked')
    form.requestSubmit($('send'))
  }
  draft.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter' || e.shiftKey || e.altKey) return
    if (e.isComposing || e.keyCode === 229) return // an input method takes this Enter
    e.preventDefault()
    submit()
  })
  draft.addEventListener('input', () => { tell(''); keep(); grow(); refresh() })

  document.addEventListener('htmx:config:request', (e) => {
    const { request, sourceElement: source } = e.detail.ctx
    if (source.id === 'stop-form') $('stop')?.classList.add('busy')
    if (source !== form && source.id !== 'suggestions') return
    const text = request.body.get('text') ?? ''
    if (flight || !text.trim()) return e.preventDefault()
    let id = request.body.get('message_id')
    if (sent.has(id) && sent.get(id) !== text) id = newId()
    sent.set(id, text)
    request.body.set('message_id', id)
    flight = { id, text, source }
    tell('')
    showMine()
    if (source === form) { write(''); draft.focus() }
    refresh()
    document.dispatchEvent(new CustomEvent('cairn:mine'))
  })

  document.addEventListener('htmx:after:request', (e) => {
    const { ctx } = e.detail
    if (!flight || ctx.sourceElement !== flight.source) return
    const mine = flight
    if (ctx.response.status >= 400) {
      flight = null
      takeBack(mine, words(ctx))
    } else if (ctx.hx.location) {
      // The first message made a thread. A plain navigation, not htmx's own: the new page
      // is a complete document with its own stream, form action and history entry, and
      // there is nothing of this page to keep but what was typed meanwhile.
      e.preventDefault()
      const to = new URL(ctx.hx.location, location.href)
      store.set(draftKey(to.pathname), draft.value)
      store.set(draftKey(location.pathname), '')
      if (document.activeElement === draft || mine.source !== form && typing()) store.set('focus', to.pathname)
      if (to.origin === location.origin) location.assign(to)
      return // still in flight: nothing else is sent from this page
    } else {
      flight = null
      sent.set(mine.id, null)
    }
    refresh()
  })
  document.addEventListener('htmx:finally:request', (e) => {
    const { ctx } = e.detail
    if (ctx.sourceElement.matches('#stop-form, .run-error form') && !(ctx.response?.status < 400)) {
      $('stop')?.classList.remove('busy')
      tell(ctx.response ? words(ctx) : 'That did not reach the server. Try again.')
    }
    if (!flight || ctx.sourceElement !== flight.source || ctx.response) return
    const mine = flight
    flight = null
    takeBack(mine, 'The message did not reach the server. Your text is still here.')
    refresh()
  })

  // A patch may have removed what we showed ahead of the server, or enabled Send.
  document.addEventListener('cairn:patched', () => {
    if (until && !(until in state().dataset)) tell('')
    showMine()
    refresh()
  })

  // A new conversation or a selected suggestion puts the focus in the message field.
  document.addEventListener('click', (e) => {
    const link = e.target.closest('a.new')
    if (link && typing() && !e.ctrlKey && !e.metaKey && !e.shiftKey) store.set('focus', link.pathname)
  })

  const kept = store.get(draftKey(location.pathname))
  if (kept && !draft.value) draft.value = kept
  if (store.get('focus') === location.pathname) draft.focus()
  store.set('focus', '')
  grow()
  refresh()
})()
