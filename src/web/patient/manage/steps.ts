/** The steps that the page's parts take: one that is only asked, and one that changes something and says so. */
export type Steps = {
  ask: <View>(step: string, more?: object) => Promise<View>;
  act: (step: string, more: object, words: string) => Promise<void>;
};
