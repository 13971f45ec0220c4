// The view follows what arrives only while the reader is at the bottom. Any move up lets
// go at once; coming back to the bottom takes hold again.
(() => {
  const scroll = document.getElementById('scroll')
  if (!scroll) return
  const pill = document.getElementById('below')
  const near = 80 // px from the bottom that count as being there, on the way down
  const welcome = () => document.querySelector('#welcome:not([hidden])') // is read from its top
  // A page that shows a part of the conversation opens at the entry it was opened for.
  const target = /^#[eu][-\w]+$/.test(location.hash) && document.getElementById(location.hash.slice(1))
  let follow = !target, last = 0, height = 0

  const distance = () => scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop

  function hidePill(hidden) {
    if (pill.hidden !== hidden) pill.hidden = hidden // writing the same value restyles, too
  }

  function settle() {
    if (welcome()) hidePill(true)
    else if (follow) {
      scroll.scrollTop = scroll.scrollHeight
      last = scroll.scrollTop
      hidePill(true)
    } else if (scroll.scrollHeight > height) {
      hidePill(false)
    }
    height = scroll.scrollHeight
  }
  function letGo() {
    if (scroll.scrollHeight > scroll.clientHeight) follow = false
  }
  function toBottom() {
    follow = true
    settle()
  }

  scroll.addEventListener('wheel', (e) => { if (e.deltaY < 0) letGo() }, { passive: true })
  let touchY = 0
  scroll.addEventListener('touchstart', (e) => { touchY = e.touches[0].clientY }, { passive: true })
  scroll.addEventListener('touchmove', (e) => { if (e.touches[0].clientY > touchY) letGo() }, { passive: true })
  scroll.addEventListener('keydown', (e) => { if (['ArrowUp', 'PageUp', 'Home'].includes(e.key)) letGo() })
  scroll.addEventListener('scroll', () => {
    const top = scroll.scrollTop
    // Also find-in-page, a dragged scroll bar, a screen reader: whatever moved us up.
    if (top < last - 1 && distance() > 2) follow = false
    else if (top > last && distance() <= near) follow = true
    else if (distance() <= 1) follow = true
    if (follow) hidePill(true)
    last = top
  }, { passive: true })

  pill.addEventListener('click', () => {
    toBottom()
    scroll.focus({ preventScroll: true })
  })
  document.addEventListener('cairn:patched', settle)
  document.addEventListener('cairn:mine', toBottom) // the reader sent something
  // The composer grew, a keyboard came up, a font arrived: hold the bottom.
  new ResizeObserver(settle).observe(scroll)
  document.fonts?.ready.then(settle)
  if (target) target.scrollIntoView({ block: 'start' })
  settle()
})()
