// The page shows the end of a conversation. What came before is put in front of it when the
// reader asks, and stays there: the stream only knows the end. Without scripts the link leads
// to a page of its own.
(() => {
  const scroll = document.getElementById('scroll')
  if (!scroll) return
  const items = () => document.getElementById('chat-items')
  const link = () => document.getElementById('earlier')

  async function bring(a) {
    a.textContent = 'Loading…'
    a.setAttribute('aria-busy', 'true')
    const answer = await fetch(a.href, { cache: 'no-store' })
    if (!answer.ok) throw new Error(answer.status)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const found = [...page.getElementById('chat-items').children].filter((elt) => elt.matches('[id]:not(#typing, #later, #again)'))
    if (!a.isConnected) return // the page was drawn anew meanwhile
    const height = scroll.scrollHeight, top = scroll.scrollTop
    for (const elt of found) if (elt.id !== 'earlier') elt.dataset.earlier = ''
    link().replaceWith(...found.map((elt) => document.adoptNode(elt)))
    for (const elt of found) htmx.process(elt)
    scroll.scrollTop = top + scroll.scrollHeight - height
    ;(link()?.querySelector('a') ?? scroll).focus({ preventScroll: true })
  }

  scroll.addEventListener('click', (e) => {
    const a = e.target.closest('#earlier a')
    if (!a || e.ctrlKey || e.metaKey || e.shiftKey) return
    e.preventDefault()
    if (!a.hasAttribute('aria-busy')) bring(a).catch(() => location.assign(a.href))
  })

  // The stream draws the end of the conversation anew: what was brought in stays in front of
  // it while the two still meet.
  const keep = (next) => {
    const first = [...next.children].find((elt) => elt.id && elt.id !== 'earlier')
    const here = first && document.getElementById(first.id)
    if (here?.parentElement !== items() || !items().querySelector(':scope > [data-earlier]')) return
    const before = []
    for (let elt = items().firstElementChild; elt !== here; elt = elt.nextElementSibling) {
      if (elt.id !== 'earlier') elt.dataset.earlier = ''
      before.push(elt.cloneNode(true))
    }
    next.querySelector(':scope > #earlier')?.remove()
    next.prepend(...before)
  }
  // An entry leaves the end of the conversation: it stays behind what was brought in.
  const stays = (elt) => elt?.previousElementSibling?.hasAttribute('data-earlier') && (elt.dataset.earlier = '', true)
  globalThis.cairnEarlier = { keep, stays, any: () => !!items()?.querySelector(':scope > [data-earlier]') }

  // A link to an entry that is not on the page leads to the part that has it.
  const [, key] = /^#e(\d+)$/.exec(location.hash) ?? []
  const asked = new URLSearchParams(location.search).has('at')
  if (key && !document.getElementById('e' + key) && !asked) location.replace(`${location.pathname}?at=${key}#e${key}`)
})()
