export const PlaygroundView = (_: { name?: string }) => <p>Playground</p>;
