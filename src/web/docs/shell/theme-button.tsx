'use client';
import { SunMoon } from 'lucide-react';
import { useTheme } from 'next-themes';
import { Button } from '#web/ui/button.tsx';

/** Switches between light and dark; initially the system's choice. */
export function ThemeButton() {
  const { resolvedTheme, setTheme } = useTheme();
  return (
    <Button
      variant="ghost"
      size="sm"
      aria-label="Switch between light and dark"
      className="max-md:h-10"
      onClick={() => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark')}
    >
      <SunMoon aria-hidden />
    </Button>
  );
}
