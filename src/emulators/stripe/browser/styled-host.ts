export interface Appearance {
  theme?: 'stripe' | 'night' | 'flat';
  variables?: Record<string, string>;
}

const COLORS = {
  light: { colorPrimary: '#0570de', colorBackground: '#ffffff', colorText: '#30313d', colorDanger: '#b3093c' },
  dark: { colorPrimary: '#85d996', colorBackground: '#30313d', colorText: '#ffffff', colorDanger: '#ff8aa5' },
};
const SHAPE = { borderRadius: '5px', fontFamily: 'system-ui, sans-serif', fontSizeBase: '16px', spacingUnit: '4px' };

const STYLE = `
  :host { display: block; font: var(--fontSizeBase)/1.4 var(--fontFamily); color: var(--colorText); }
  form { display: grid; grid-template-columns: 1fr 1fr; gap: calc(3 * var(--spacingUnit)); margin: 0; }
  label { display: block; font-size: .93em; margin-bottom: var(--spacingUnit); }
  .wide { grid-column: 1 / -1; }
  input { box-sizing: border-box; width: 100%; padding: calc(3 * var(--spacingUnit)); font: inherit; color: inherit;
    background: var(--colorBackground); border-radius: var(--borderRadius);
    border: 1px solid color-mix(in srgb, var(--colorText) 50%, var(--colorBackground)); }
  input::placeholder { color: color-mix(in srgb, var(--colorText) 70%, var(--colorBackground)); opacity: 1; }
  input:focus-visible, button:focus-visible { outline: 2px solid var(--colorPrimary); outline-offset: 1px; }
  input[aria-invalid=true] { border-color: var(--colorDanger); }
  p { margin: 0; }
  .error { color: var(--colorDanger); font-size: .93em; }
  dialog { max-width: 26rem; padding: 24px; border: 0; border-radius: 12px; box-shadow: 0 20px 60px #0006;
    color: var(--colorText); background: var(--colorBackground); }
  dialog::backdrop { background: #000a; }
  h2 { font-size: 1.15em; margin: 0 0 12px; }
  .buttons { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 20px; }
  button { flex: 1; padding: 10px 14px; font: inherit; color: inherit; white-space: nowrap; cursor: pointer;
    background: transparent; border: 1px solid currentColor; border-radius: var(--borderRadius); }`;

/** Creates a host with a shadow root. A page's Content-Security-Policy does not block constructed stylesheets. */
export function styledHost(appearance: Appearance | undefined): { host: HTMLElement; root: ShadowRoot } {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  applyStyles(host, appearance);
  return { host, root };
}

/** Applies an appearance's variables to a host; without a theme, the browser's color scheme applies. */
export function applyStyles(host: HTMLElement, { theme, variables = {} }: Appearance = {}): void {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const scheme = theme === 'night' || (theme === undefined && prefersDark) ? 'dark' : 'light';
  const values = { ...SHAPE, ...COLORS[scheme], ...variables };
  for (const [name, value] of Object.entries(values)) host.style.setProperty(`--${name}`, value);
  host.style.colorScheme = scheme;
}

export function node<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
