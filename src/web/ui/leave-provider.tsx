'use client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { LeaveContext, type LeaveGuard, type Risk } from './unsaved.tsx';
import { useLazyComponent } from './use-lazy-component.ts';

const loadQuestion = () => import('./leave-question.tsx').then((module) => module.LeaveQuestion);
/** Loads the dialog while there is a connection, so that it also works offline. */
const prepare = () => void loadQuestion().catch(() => {});

/** Wraps the portal's pages: asks for confirmation before a page with unsaved changes is left. */
export function LeaveProvider({ children }: { children: ReactNode }) {
  const [onConfirm, setOnConfirm] = useState<(() => void) | null>(null);
  const [leave] = useState(() => createLeaveGuard((next) => setOnConfirm(() => next), prepare));
  const stay = useCallback(() => setOnConfirm(null), []);
  const Question = useLazyComponent(loadQuestion, onConfirm !== null, stay);
  useEffect(() => leave.listen(), [leave]);
  return (
    <LeaveContext.Provider value={leave}>
      {children}
      {onConfirm && Question && (
        <Question
          onKeep={stay}
          onLeave={() => {
            stay();
            onConfirm();
          }}
        />
      )}
    </LeaveContext.Provider>
  );
}

/** Shows the question with its confirm callback; null hides it. */
type ShowQuestion = (onConfirm: (() => void) | null) => void;

/** The portal link that a click opens in this tab, if it leads to another page. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
  if (!link || (link.target && link.target !== '_self') || link.hasAttribute('download')) return null;
  const { origin, pathname, search } = window.location;
  const isSamePage = link.pathname === pathname && link.search === search;
  return link.origin === origin && !isSamePage ? link : null;
}

/** The tab's position in its history; null in browsers without the Navigation API. */
const historyIndex = (): number | null =>
  ('navigation' in window ? window.navigation.currentEntry?.index : null) ?? null;

/**
 * Tracks unsaved changes, and intercepts links and "back" while there are any.
 * @param onRisk called when the question may be needed soon
 */
function createLeaveGuard(showQuestion: ShowQuestion, onRisk: () => void): LeaveGuard & { listen: () => () => void } {
  const risks = new Map<string, Risk>();
  let isReleased = false;
  let position: number | null = null;
  /** True while the history returns to the page that must not be left. */
  let isReturning = false;
  let hold: ((navigate: () => void) => void) | null = null;
  /** The navigation that waits for a running save. */
  let waiting: (() => void) | null = null;
  const isHeld = () => [...risks.values()].includes('held');
  const isSaving = () => risks.size > 0 && [...risks.values()].every((risk) => risk === 'saving');
  const isOpen = () => risks.size === 0 || isReleased;
  const leave: LeaveGuard = {
    guard: (id, risk) => {
      if (risk) {
        risks.set(id, risk);
        isReleased = false;
        onRisk();
      } else risks.delete(id);
      // The changes were saved, or the page is held: the question is obsolete.
      if (risks.size === 0 || isHeld()) showQuestion(null);
      if (!waiting || isSaving()) return;
      const next = waiting;
      waiting = null;
      // After all guards have reported: a save may be followed by a secret that is shown only once.
      queueMicrotask(() => leave.go(next));
    },
    isHeld,
    isReleased: () => isReleased,
    holdLinks: (next) => {
      hold = next;
    },
    go: (navigate, { offline = false } = { offline: false }) => {
      if (hold && !offline && !isHeld()) return hold(navigate);
      if (isOpen()) return navigate();
      if (isHeld()) return;
      if (isSaving()) {
        waiting = navigate;
        return;
      }
      showQuestion(() => {
        isReleased = true;
        navigate();
      });
    },
  };

  const onClick = (event: MouseEvent) => {
    if ((isOpen() && !hold) || event.defaultPrevented) return;
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    leave.go(() => link.click());
  };
  // "Back" cannot be prevented reliably, only reverted: the router does not see it until the user has confirmed.
  const onPopState = (event: PopStateEvent) => {
    const now = historyIndex();
    if (now === null || position === null) return;
    const delta = now - position;
    if (delta === 0) {
      if (isReturning) event.stopImmediatePropagation();
      isReturning = false;
      return;
    }
    if (isOpen()) {
      position = now;
      return;
    }
    event.stopImmediatePropagation();
    isReturning = true;
    window.history.go(-delta);
    leave.go(() => window.history.go(delta));
  };
  const onEntry = ({ navigationType }: NavigationCurrentEntryChangeEvent) => {
    if (navigationType !== 'traverse') position = historyIndex();
  };
  /** New input after a confirmed leave creates unsaved changes again. */
  const onInput = () => {
    isReleased = false;
  };

  const listen = () => {
    position = historyIndex();
    const navigation = 'navigation' in window ? window.navigation : null;
    window.addEventListener('click', onClick, true);
    window.addEventListener('input', onInput, true);
    // In the capture phase, so that it runs before the router's listener.
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
