import { showPage } from './show-page.tsx';

export const metadata = { title: 'Docs' };

export default function Page() {
  return showPage('/docs');
}
