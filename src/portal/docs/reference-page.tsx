import { conventionGuides } from './convention-guides.tsx';
import { type Deployment, type Guide, GuideSection } from './guide-section.tsx';
import { ModelSection } from './model-section.tsx';
import { OperationSection } from './operation-section.tsx';
import { patientGuides } from './patient-guides.tsx';
import { planGuides } from './plan-guide.tsx';
import type { Group } from './read-reference.ts';
import { ReferenceHeader } from './reference-header.tsx';
import { type NavGroup, ReferenceNav } from './reference-nav.tsx';
import { startGuides } from './start-guides.tsx';

export function ReferencePage({ deployment, groups }: { deployment: Deployment; groups: Group[] }) {
  const start = [...startGuides(deployment), ...patientGuides(deployment), ...planGuides(deployment)];
  const conventions = conventionGuides(deployment);
  const contents = contentsOf(start, conventions, groups);
  return (
    <>
      <a
        href="#content"
        className="sr-only z-70 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <ReferenceHeader
        groups={contents}
        documentUrl={`${deployment.baseUrl}/openapi.json`}
        sandbox={deployment.environment === 'sandbox'}
      />
      <div className="mx-auto max-w-[92rem] lg:grid lg:grid-cols-[19rem_minmax(0,1fr)]">
        <aside className="sticky top-13 h-[calc(100dvh-3.25rem)] overflow-y-auto border-r border-line px-3 py-5 max-lg:hidden">
          <ReferenceNav groups={contents} />
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 px-4 pb-16 outline-none md:px-8">
          <h1 className="pt-7 text-2xl font-semibold tracking-tight">API reference</h1>
          <p className="mt-1 mb-7 text-muted">
            Patients, their subscriptions and their appointments, over HTTP and JSON.
          </p>
          {[...start, ...conventions].map((guide) => (
            <GuideSection key={guide.anchor} guide={guide} />
          ))}
          {groups.map((group) => (
            <GroupPart key={group.anchor} group={group} />
          ))}
        </main>
      </div>
    </>
  );
}

function GroupPart({ group: { name, anchor, description, operations, models } }: { group: Group }) {
  return (
    <div className="border-t border-line pt-10">
      <h2 id={anchor} className="scroll-mt-20 text-xl font-semibold tracking-tight">
        {name}
      </h2>
      <p className="mt-1 mb-8 text-muted">{description}</p>
      {operations.map((operation) => (
        <OperationSection key={operation.anchor} operation={operation} />
      ))}
      {models.map((model) => (
        <ModelSection key={model.anchor} model={model} />
      ))}
    </div>
  );
}

function contentsOf(start: Guide[], conventions: Guide[], groups: Group[]): NavGroup[] {
  const linksTo = (guides: Guide[]) => guides.map(({ anchor, title }) => ({ anchor, label: title }));
  return [
    { heading: 'Start', links: linksTo(start) },
    { heading: 'Conventions', links: linksTo(conventions) },
    ...groups.map(({ name, operations, models }) => ({
      heading: name,
      links: [
        ...operations.map(({ anchor, method, path }) => ({ anchor, label: path, method })),
        ...models.map((model) => ({ anchor: model.anchor, label: `The ${model.name} object` })),
      ],
    })),
  ];
}
