'use client';
import { createContext, useContext, useEffect, useId } from 'react';

/**
 * What would be lost: `unsaved`, input that needs confirmation; `saving`, a running save with unknown outcome; `held`,
 * content that is shown only once and that only its own button closes.
 */
export type Risk = 'unsaved' | 'saving' | 'held';
/** Reports the risk of a component under its id. */
type Guard = (id: string, risk: Risk | null) => void;
/** The guard of the surrounding dialog. */
export const GuardContext = createContext<Guard | null>(null);

export type LeaveGuard = {
  guard: Guard;
  /** The page shows content that is never shown again. */
  isHeld: () => boolean;
  /** The user has confirmed that the changes may be lost. */
  isReleased: () => boolean;
  /**
   * Navigates at once, after the running save, or after the user's confirmation; never while the page is held. With
   * `offline` it does not wait for a lost connection.
   */
  go: (where: () => void, options?: { offline: boolean }) => void;
  /** Passes each navigation to `hold` in place of navigating, as long as the connection is lost; null ends that. */
  holdLinks: (hold: ((where: () => void) => void) | null) => void;
};
/** Only in the portal; other pages rely on the browser's `beforeunload`. */
export const LeaveContext = createContext<LeaveGuard | null>(null);

const navigateNow = (where: () => void) => where();
/** Navigation in code within the portal must use this. Links and "back" are intercepted without it. */
export const useGuardedNavigation = (): LeaveGuard['go'] => useContext(LeaveContext)?.go ?? navigateNow;

let isLeaving = false;
/** The browser asks no more: the page is left for another user. */
export const leaveWithoutAsking = (): void => {
  isLeaving = true;
};

/**
 * Has the browser ask before it leaves the page.
 * @returns a function that ends this
 */
export function askBeforeUnload(isReleased: () => boolean | undefined = () => false): () => void {
  const onBeforeUnload = (event: BeforeUnloadEvent) => !isLeaving && !isReleased() && event.preventDefault();
  window.addEventListener('beforeunload', onBeforeUnload);
  return () => window.removeEventListener('beforeunload', onBeforeUnload);
}

/** Reports a risk to the portal and the browser; the surrounding dialog has its own guard. */
export function useRisk(risk: Risk | null): void {
  const leave = useContext(LeaveContext);
  useReportedRisk(leave?.guard, risk);
  useEffect(() => {
    // Not during a save: its response may itself navigate.
    if (!risk || risk === 'saving') return;
    return askBeforeUnload(() => leave?.isReleased());
  }, [leave, risk]);
}

function useReportedRisk(guard: Guard | null | undefined, risk: Risk | null): void {
  const id = useId();
  useEffect(() => guard?.(id, risk), [guard, id, risk]);
  // A separate effect, so that a change from one risk to another has no moment without a risk.
  useEffect(() => () => guard?.(id, null), [guard, id]);
}

/**
 * Protects unsaved changes: the surrounding dialog asks before it closes (and stays open during a save), the portal
 * asks before it navigates, and the browser before it leaves the page.
 */
export function useUnsaved(unsaved: Risk | boolean | null): void {
  const guard = useContext(GuardContext);
  const risk = unsaved === true ? 'unsaved' : unsaved || null;
  useRisk(risk);
  useReportedRisk(guard, risk);
}
