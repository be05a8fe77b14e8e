'use client';
import { shadesOf, type Theme } from '#contract/brand-shades.ts';
import { useFieldWiring } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { shadeWords } from './shade-words.ts';

/** Carelane's own color, and the picker's initial value. */
const OWN_COLOUR = '#0b6b66';
const WHOLE = /^#[0-9a-f]{6}$/i;

type ColourFieldProps = { value: string; onChange: (colour: string) => void; onBlur?: () => void; name?: string };

/** A color, typed or picked; empty means Carelane's own. */
export function ColourField({ value, onChange, onBlur, name }: ColourFieldProps) {
  const wiring = useFieldWiring();
  const chosen = WHOLE.test(value) ? value.toLowerCase() : OWN_COLOUR;
  return (
    <div className="flex gap-2">
      <input
        type="color"
        aria-label="Pick a color"
        value={chosen}
        onChange={(event) => onChange(event.target.value)}
        className="h-8.5 w-12 shrink-0 rounded-md border border-field bg-surface p-1 max-md:h-10"
      />
      <Input
        {...wiring}
        {...(name && { name })}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        {...(onBlur && { onBlur })}
        placeholder={OWN_COLOUR}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={7}
        className="max-w-40 font-mono"
      />
    </div>
  );
}

/** Previews the color in both themes, and says how it was adjusted to be readable. */
export function ColourPreview({ colour, name }: { colour: string; name: string }) {
  if (colour !== '' && !WHOLE.test(colour)) return null;
  const chosen = colour === '' ? OWN_COLOUR : colour.toLowerCase();
  return (
    <div className="grid gap-2">
      <div className="grid gap-3 sm:grid-cols-2">
        <Sample theme="light" colour={chosen} name={name} />
        <Sample theme="dark" colour={chosen} name={name} />
      </div>
      <p aria-live="polite" className="text-[13px] text-muted">
        {colour === '' ? 'Without a color of yours, pages wear Carelane’s.' : shadeWords(chosen)}
      </p>
    </div>
  );
}

/** Colors of both themes: they are displayed together, so the page's own theme does not apply. */
const PAPER: Record<Theme, { ground: string; ink: string; line: string }> = {
  light: { ground: '#ffffff', ink: '#10211f', line: '#e1e8e8' },
  dark: { ground: '#131b1c', ink: '#e7efee', line: '#243031' },
};

function Sample({ theme, colour, name }: { theme: Theme; colour: string; name: string }) {
  const shades = shadesOf(colour, theme);
  const { ground, ink, line } = PAPER[theme];
  return (
    <figure
      aria-label={`On ${theme} pages`}
      style={{ background: ground, color: ink, borderColor: line }}
      className="grid min-w-0 gap-3 rounded-lg border p-3"
    >
      <figcaption className="text-xs">{theme === 'light' ? 'Light pages and mails' : 'Dark pages'}</figcaption>
      <p className="truncate font-semibold">{name || 'Your clinic'}</p>
      <p className="flex flex-wrap items-center gap-3">
        <span
          style={{ background: shades.accent, color: shades['on-accent'] }}
          className="rounded-md px-3 py-1.5 font-medium"
        >
          Continue
        </span>
        <span style={{ color: shades['accent-ink'] }} className="underline underline-offset-3">
          Terms
        </span>
        <span
          style={{ background: shades['accent-soft'], color: shades['accent-ink'] }}
          className="rounded-full px-2 py-0.5 text-xs font-medium"
        >
          Today
        </span>
      </p>
    </figure>
  );
}
