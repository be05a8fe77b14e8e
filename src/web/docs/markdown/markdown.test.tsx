import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownBody } from './markdown-body.tsx';
import { fillPlaceholders, frontMatter, readMarkdown } from './read-markdown.ts';

/** Static markup follows no link. */
const UNUSED_ROUTER = {} as AppRouterInstance;

const html = (text: string) =>
  renderToStaticMarkup(
    <AppRouterContext value={UNUSED_ROUTER}>
      <MarkdownBody markdown={readMarkdown(text)} />
    </AppRouterContext>,
  );

describe('Markdown', () => {
  it('parses the front matter, and removes the title heading', () => {
    expect(frontMatter('---\ntitle: A: b\norder: 2\n---\n\n# A: b\n\nWords\n')).toEqual({
      fields: { title: 'A: b', order: '2' },
      body: 'Words\n',
    });
    expect(frontMatter('# `@carelane/x`\n\nWords')).toEqual({ fields: { title: '@carelane/x' }, body: 'Words\n' });
  });

  it('fills in placeholders, and throws for a missing value', () => {
    expect(fillPlaceholders('at {{url}}', { url: 'x' })).toBe('at x');
    expect(() => fillPlaceholders('at {{url}}', {})).toThrow('{{url}}');
  });

  it('creates unique heading anchors in GitHub’s format', () => {
    const { sections } = readMarkdown('## What it’s\n\n### `a_b` c\n\n## What it’s\n');
    expect(sections.map(({ anchor }) => anchor)).toEqual(['what-its', 'a_b-c', 'what-its-2']);
  });

  it('renders lists, tables, code and links', () => {
    const shown = html(
      'A **b** `c` [d](/docs/e) [f](https://g.example)\n\n- one\n- two\n\n| Code | Means |\n|---|---|\n| `not_found` | x |\n\n```ts file=a/b.ts\nlet x = "<y>";\n```\n',
    );
    expect(shown).toContain('<strong');
    expect(shown).toContain('href="/docs/e"');
    expect(shown).toContain('href="https://g.example"');
    expect(shown).toContain('<tr id="not_found"');
    expect(shown).toContain('a/b.ts');
    expect(shown).toContain('let x = &quot;&lt;y&gt;&quot;;');
  });

  it('renders no table head if it is empty', () => {
    expect(html('| | |\n|---|---|\n| a | b |\n')).not.toContain('<thead');
    expect(html('| A | B |\n|---|---|\n| a | b |\n')).toContain('<thead');
  });

  it('renders no HTML, scripts or unsafe links', () => {
    const shown = html(
      '<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](//evil.example) <script>1</script>\n',
    );
    expect(shown).not.toMatch(/<img|<script|href="(javascript|\/\/)/);
  });
});
