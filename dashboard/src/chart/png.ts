// The chart as a picture of points, for programs that take no vectors.
const [width, height] = [1920, 960];

export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  const sized = svg.replace("<svg ", `<svg width="${width}" height="${height}" `);
  image.src = `data:image/svg+xml,${encodeURIComponent(sized)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d")!.drawImage(image, 0, 0, width, height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))), "image/png"),
  );
}
