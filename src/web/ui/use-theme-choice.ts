'use client';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useTheme } from 'next-themes';
import type { MenuEntry } from './dropdown-menu.tsx';

const THEMES = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
];

/** The theme as a menu entry. */
export function useThemeChoice(): MenuEntry {
  const { theme, setTheme } = useTheme();
  return { kind: 'choice', label: 'Theme', value: theme ?? 'system', onChange: setTheme, options: THEMES };
}
