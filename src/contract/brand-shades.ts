/** What a page paints with the clinic's colour; the names are those of the style sheet. */
export type Shades = {
  accent: string;
  'accent-hover': string;
  'on-accent': string;
  'accent-soft': string;
  'accent-ink': string;
  ring: string;
};
export type Theme = 'light' | 'dark';

/** WCAG 2.2, 1.4.3 for text and 1.4.11 for what is not text. */
export const TEXT_CONTRAST = 4.5;
export const UI_CONTRAST = 3;

/** What lies under text, fields and buttons; a test sees to it that the style sheet has the same. */
export const GROUNDS: Record<Theme, Record<'canvas' | 'surface' | 'raised' | 'sunken' | 'hover', string>> = {
  light: { canvas: '#f7f9f9', surface: '#ffffff', raised: '#ffffff', sunken: '#f1f4f4', hover: '#edf2f2' },
  dark: { canvas: '#0d1314', surface: '#131b1c', raised: '#192324', sunken: '#0a0f10', hover: '#1d2829' },
};
const [BLACK, WHITE] = ['#000000', '#ffffff'];
/** Where a shade goes that is not told well enough from its ground, and what is written on it. */
const WAYS: Record<Theme, { towards: string; written: string; softness: number }> = {
  light: { towards: BLACK, written: WHITE, softness: 0.12 },
  dark: { towards: WHITE, written: '#0a0f10', softness: 0.16 },
};
const STEP = 0.02;
const HOVER = 0.18;

const channels = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function mixed(colour: string, other: string, share: number): string {
  const there = channels(other);
  const parts = channels(colour).map((value, index) => Math.round(value + (there[index]! - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** From 1, no difference, to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** The nearest shade of a colour that is told well enough from all of these, darker or lighter. */
function shadeOf(colour: string, towards: string, isGood: (shade: string) => boolean): string {
  for (let share = 0; share < 1; share += STEP) {
    const shade = mixed(colour, towards, share);
    if (isGood(shade)) return shade;
  }
  return towards;
}

/**
 * The shades of one colour in a theme. What a page needs to be read comes first: a colour that is too light for light
 * pages gets darker there, one that is too dark for dark pages lighter, until text on it and text of it has 4.5:1, and
 * everything else 3:1.
 */
export function shadesOf(colour: string, theme: Theme): Shades {
  const { towards, written, softness } = WAYS[theme];
  const grounds = Object.values(GROUNDS[theme]);
  const accent = shadeOf(
    colour,
    towards,
    (shade) =>
      contrast(shade, written) >= TEXT_CONTRAST && grounds.every((ground) => contrast(shade, ground) >= UI_CONTRAST),
  );
  const soft = mixed(GROUNDS[theme].surface, accent, softness);
  const ink = shadeOf(accent, towards, (shade) =>
    [soft, ...grounds].every((ground) => contrast(shade, ground) >= TEXT_CONTRAST),
  );
  return {
    accent,
    'accent-hover': mixed(accent, towards, HOVER),
    'on-accent': written,
    'accent-soft': soft,
    'accent-ink': ink,
    ring: accent,
  };
}
