import type { Metadata } from 'next';
import { readDocs } from '../read-docs.ts';
import { showPage } from '../show-page.tsx';

type Props = { params: Promise<{ path: string[] }> };
const pathOf = async ({ params }: Props) => `/docs/${(await params).path.join('/')}`;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const path = await pathOf(props);
  const page = readDocs().pages.find((candidate) => candidate.path === path);
  return page ? { title: page.title, description: page.description } : {};
}

export default async function Page(props: Props) {
  return showPage(await pathOf(props));
}
