'use client';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useTheme } from 'next-themes';
import { MenuChoice } from './dropdown-menu.tsx';

const THEMES = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
];

/** The theme choice, as a part of a DropdownMenu. */
export function ThemeToggle() {
  const { theme, setTheme } = useTheme();
  return <MenuChoice label="Theme" value={theme ?? 'system'} onValueChange={setTheme} options={THEMES} />;
}
