import type { Leave, Risk } from './unsaved.tsx';

/** Shows the question, with what a yes does; null takes it away. */
type Ask = (yes: (() => void) | null) => void;

/** The link of the portal that a press follows in this tab, to another page. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
  if (!link || (link.target && link.target !== '_self') || link.hasAttribute('download')) return null;
  const { origin, pathname, search } = window.location;
  const isHere = link.pathname === pathname && link.search === search;
  return link.origin === origin && !isHere ? link : null;
}

/** Where the tab stands in its history; null in a browser that does not say. */
const place = (): number | null => ('navigation' in window ? window.navigation.currentEntry?.index : null) ?? null;

/** Knows what would be lost, and stands before links and "back" as long as something is. `onRisk`: a question may come. */
export function createLeave(ask: Ask, onRisk: () => void): Leave & { listen: () => () => void } {
  const risks = new Map<string, Risk>();
  let isReleased = false;
  let at: number | null = null;
  /** On the way back to the place that was not to be left. */
  let isReturning = false;
  /** Where to go once it is known whether what is being saved is saved. */
  let waiting: (() => void) | null = null;
  const isHeld = () => [...risks.values()].includes('held');
  const isSaving = () => risks.size > 0 && [...risks.values()].every((risk) => risk === 'saving');
  const isOpen = () => risks.size === 0 || isReleased;
  const leave: Leave = {
    guard: (id, risk) => {
      if (risk) {
        risks.set(id, risk);
        isReleased = false;
        onRisk();
      } else risks.delete(id);
      // Saved meanwhile, or never to be asked about: the question is over.
      if (risks.size === 0 || isHeld()) ask(null);
      if (!waiting || isSaving()) return;
      const next = waiting;
      waiting = null;
      // Once all have told: what was saved may be followed by what is shown only once.
      queueMicrotask(() => leave.go(next));
    },
    isHeld,
    isReleased: () => isReleased,
    go: (where) => {
      if (isOpen()) return where();
      if (isHeld()) return;
      if (isSaving()) {
        waiting = where;
        return;
      }
      ask(() => {
        isReleased = true;
        where();
      });
    },
  };

  const onClick = (event: MouseEvent) => {
    if (isOpen() || event.defaultPrevented) return;
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    leave.go(() => link.click());
  };
  // "Back" cannot be refused for certain, only undone: the page is told nothing of it until somebody has said yes.
  const onPopState = (event: PopStateEvent) => {
    const now = place();
    if (now === null || at === null) return;
    const by = now - at;
    if (by === 0) {
      if (isReturning) event.stopImmediatePropagation();
      isReturning = false;
      return;
    }
    if (isOpen()) {
      at = now;
      return;
    }
    event.stopImmediatePropagation();
    isReturning = true;
    window.history.go(-by);
    leave.go(() => window.history.go(by));
  };
  const onEntry = ({ navigationType }: NavigationCurrentEntryChangeEvent) => {
    if (navigationType !== 'traverse') at = place();
  };
  /** Who stayed and types on has something to lose again. */
  const onInput = () => {
    isReleased = false;
  };

  const listen = () => {
    at = place();
    const navigation = 'navigation' in window ? window.navigation : null;
    window.addEventListener('click', onClick, true);
    window.addEventListener('input', onInput, true);
    // Caught on the way down, so before the router's own.
    window.addEventListener('popstate', onPopState, true);
    navigation?.addEventListener('currententrychange', onEntry);
    return () => {
      window.removeEventListener('click', onClick, true);
      window.removeEventListener('input', onInput, true);
      window.removeEventListener('popstate', onPopState, true);
      navigation?.removeEventListener('currententrychange', onEntry);
    };
  };
  return { ...leave, listen };
}
