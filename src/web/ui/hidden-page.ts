import { leaveWithoutAsking } from './unsaved.tsx';

/** On <html>; the style sheet hides everything but the container. */
const ATTRIBUTE = 'data-hidden-page';
const CONTAINER_ID = 'over-hidden-page';
const TITLE = 'Carelane';
/** What libraries listen to on the document, which would take events in the container as outside of an open dialog. */
const CONTAINED = [
  'keydown',
  'keyup',
  'pointerdown',
  'mousedown',
  'touchstart',
  'touchmove',
  'wheel',
  'click',
  'focusin',
  'focusout',
] as const;

let hidden: { container: HTMLElement; show: () => void } | null = null;

/**
 * Hides the page from the screen, find-in-page, screen readers, print, keys and ears. It stays mounted, so that its forms
 * keep what was typed.
 * @returns the element that stays visible, a child of the body
 */
export function hidePage(): HTMLElement {
  if (hidden) return hidden.container;
  const { activeElement, documentElement } = document;
  const { scrollX, scrollY } = window;
  const container = document.createElement('div');
  container.id = CONTAINER_ID;
  // An open modal takes the pointer from the body.
  container.style.pointerEvents = 'auto';
  // React listens on the container, too.
  for (const type of CONTAINED) container.addEventListener(type, (event) => event.stopPropagation());
  const stopHiding = [muteMedia(), coverTitle(), keepKeysIn(container)];
  documentElement.setAttribute(ATTRIBUTE, '');
  document.body.append(container);
  const show = () => {
    documentElement.removeAttribute(ATTRIBUTE);
    container.remove();
    for (const stop of stopHiding) stop();
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    if (activeElement instanceof HTMLElement && activeElement !== document.body)
      activeElement.focus({ preventScroll: true });
  };
  hidden = { container, show };
  return container;
}

/** Shows the page as it was, with the focus where it was. */
export function showPage(): void {
  hidden?.show();
  hidden = null;
}

/** Leaves for another page without the browser's question about unsaved changes; the hidden page cannot come back. */
export function leaveHidden(address: string): void {
  hidePage();
  leaveWithoutAsking();
  window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
  window.location.replace(address);
}

function muteMedia(): () => void {
  const audible = [...document.querySelectorAll<HTMLMediaElement>('audio, video')].filter(({ muted }) => !muted);
  for (const media of audible) media.muted = true;
  return () => {
    for (const media of audible) media.muted = false;
  };
}

/** The title may name a patient, and may change while the page is hidden. */
function coverTitle(): () => void {
  let { title } = document;
  const cover = () => {
    if (document.title === TITLE) return;
    title = document.title;
    document.title = TITLE;
  };
  cover();
  const observer = new MutationObserver(cover);
  observer.observe(document.head, { subtree: true, childList: true, characterData: true });
  return () => {
    observer.disconnect();
    document.title = title;
  };
}

/** No shortcut of the hidden page works, and Escape closes none of its dialogs. */
function keepKeysIn(container: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isInside = event.target instanceof Node && container.contains(event.target);
    if (!isInside || event.key === 'Escape') event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', onKey, { capture: true });
  window.addEventListener('keyup', onKey, { capture: true });
  return () => {
    window.removeEventListener('keydown', onKey, { capture: true });
    window.removeEventListener('keyup', onKey, { capture: true });
  };
}
