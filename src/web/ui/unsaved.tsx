'use client';
import { createContext, useContext, useEffect, useId } from 'react';

/**
 * What would be lost: `unsaved`, what was typed and is asked about; `saving`, what is on its way, so that nobody knows yet
 * whether it is lost; `held`, what is shown only once, which nothing takes away but its own button.
 */
export type Risk = 'unsaved' | 'saving' | 'held';
/** Told by name what something inside would lose. */
export type Guard = (id: string, risk: Risk | null) => void;
/** The dialog around it. */
export const GuardContext = createContext<Guard | null>(null);

export type Leave = {
  guard: Guard;
  /** Something is shown that is never seen again. */
  isHeld: () => boolean;
  /** Somebody has said that it may be lost. */
  isReleased: () => boolean;
  /** Goes at once, or when all is saved, or somebody has said that what is not may be lost; or never. */
  go: (where: () => void) => void;
};
/** Of the portal's pages; others are left by the browser alone. */
export const LeaveContext = createContext<Leave | null>(null);

const atOnce = (where: () => void) => where();
/** What takes somebody elsewhere within the portal goes through this. Links and "back" do so by themselves. */
export const useGo = (): Leave['go'] => useContext(LeaveContext)?.go ?? atOnce;

/** Tells whoever may take the page away; the dialog around it has its own knowledge of itself. */
export function useRisk(risk: Risk | null): void {
  const leave = useContext(LeaveContext);
  useTold(leave?.guard, risk);
  useEffect(() => {
    // Not while it is being saved: an answer may itself lead elsewhere.
    if (!risk || risk === 'saving') return;
    const ask = (event: BeforeUnloadEvent) => !leave?.isReleased() && event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [leave, risk]);
}

function useTold(guard: Guard | null | undefined, risk: Risk | null): void {
  const id = useId();
  useEffect(() => guard?.(id, risk), [guard, id, risk]);
  // Apart, so that one risk turns into another without a moment of none.
  useEffect(() => () => guard?.(id, null), [guard, id]);
}

/**
 * As long as something is typed or chosen that is not saved: the dialog around it asks before it closes (and does not close
 * while it is being saved), the portal before it goes elsewhere, and the browser before it leaves the page.
 */
export function useUnsaved(unsaved: Risk | boolean | null): void {
  const guard = useContext(GuardContext);
  const risk = unsaved === true ? 'unsaved' : unsaved || null;
  useRisk(risk);
  useTold(guard, risk);
}
