'use client';
import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

export const useStore = <State>({ subscribe, read }: Pick<Store<State>, 'subscribe' | 'read'>): State =>
  useSyncExternalStore(subscribe, read, read);
