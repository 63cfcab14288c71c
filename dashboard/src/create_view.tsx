export const CreateView = (_: { name?: string }) => <p>Create</p>;
