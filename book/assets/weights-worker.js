// What the page "Your weights" computes: files are read and neurons counted as in sparse_meter,
// part by part under the names that it has there (tests/site/test_weights.py compares the numbers).
// It is one function, and runs in a worker made of its text: a page that is opened as a file may not load another one.
const weightsWorker = () => {
  const { abs, floor, max, min, sqrt } = Math;

  class Refusal extends Error {}
  const refuse = (words) => { throw new Refusal(words); };
  const shown = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const product = (values) => values.reduce((total, value) => total * value, 1);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const squared = (values) => values.reduce((total, value) => total + value * value, 0);
  const printable = (text) => String(text).replace(/[^\x20-\x7e\xa1-\u2027\u2030-\ud7ff]/g, "�").slice(0, 120);

  // --- sparse_meter.stored: what a file says of itself is checked against its size before memory is taken ---

  // The bytes of an array in double precision, the largest a tab holds beside a second one of the kind.
  const MAX_ARRAY_BYTES = 2 ** 31;
  // The bytes of the header of an array: the limit of NumPy.
  const MAX_HEADER_BYTES = 10_000;
  const fromBits = (bits, wider) => { // of 16 bits, as single precision with these bits
    const wide = new Uint32Array(bits.length);
    for (let i = 0; i < bits.length; i++) wide[i] = wider(bits[i]);
    return new Float32Array(wide.buffer);
  };
  const fromUpper = (bits) => fromBits(bits, (half) => half << 16); // bfloat16 is the upper half of single precision
  // Half precision has another bias of its exponent, a factor of 2^112. What is then too large was infinite or none.
  const LARGEST_HALF = 65504;
  const fromHalf = (bits) => fromBits(bits, (half) => ((half & 0x8000) << 16) | ((half & 0x7fff) << 13))
    .map((value) => (abs(value) * 2 ** 112 > LARGEST_HALF ? NaN : value * 2 ** 112));
  const whole = (a) => Float64Array.from(a, (x) => (x <= 2 ** 53 && x >= -(2 ** 53) ? Number(x) : refuse(`The file must have integers of at most 2**53 in size, not ${x}, which a double would round.`)));
  // By NumPy's letters: the class of typed arrays, and the floats that hold the numbers
  const TYPES = {
    f8: [Float64Array, (a) => a], f4: [Float32Array, (a) => a], f2: [Uint16Array, fromHalf], bf2: [Uint16Array, fromUpper],
    i1: [Int8Array, (a) => Float32Array.from(a)], u1: [Uint8Array, (a) => Float32Array.from(a)], b1: [Uint8Array, (a) => Float32Array.from(a, (x) => (x ? 1 : 0))],
    i2: [Int16Array, (a) => Float32Array.from(a)], u2: [Uint16Array, (a) => Float32Array.from(a)],
    i4: [Int32Array, (a) => Float64Array.from(a)], u4: [Uint32Array, (a) => Float64Array.from(a)],
    i8: [BigInt64Array, whole], u8: [BigUint64Array, whole],
  };
  const SAFE = {
    BOOL: "b1", U8: "u1", I8: "i1", U16: "u2", I16: "i2", U32: "u4", I32: "i4", U64: "u8", I64: "i8", F16: "f2", BF16: "bf2", F32: "f4", F64: "f8",
  };
  const itemsize = (type) => TYPES[type][0].BYTES_PER_ELEMENT;

  const limited = (where, shape, type) => { // the bytes of an array, refused if they would be too many
    const size = product(shape) * max(itemsize(type), 4);
    if (!(size <= MAX_ARRAY_BYTES)) refuse(`${where} would take ${(size / 1e9).toPrecision(3)} GB; the limit is ${(MAX_ARRAY_BYTES / 1e9).toPrecision(3)} GB.`);
    return product(shape) * itemsize(type);
  };
  const turned = (data, rows, columns) => { // the transpose of a (rows, columns) matrix
    const result = new data.constructor(data.length);
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) result[j * rows + i] = data[i * columns + j];
    return result;
  };
  const decoded = (bytes, type) => {
    const [Kind, floats] = TYPES[type];
    return floats(new Kind(bytes.slice().buffer));
  };
  const bytesOf = async (blob, start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer());
  const viewOf = async (blob, start, end) => new DataView(await blob.slice(start, end).arrayBuffer());

  // .npy

  const npyHeader = (bytes, where) => { // shape and type, where the numbers begin, and how they are read
    if (bytes.length < 10 || String.fromCharCode(...bytes.subarray(0, 6)) !== "\x93NUMPY") refuse(`${where} is not an array as numpy.save writes it: it must begin with \\x93NUMPY.`);
    const view = new DataView(bytes.buffer, bytes.byteOffset), version = bytes[6];
    if (![1, 2, 3].includes(version) || bytes[7]) refuse(`${where} must have a header of version 1.0, 2.0 or 3.0, not ${version}.${bytes[7]}.`);
    const start = version === 1 ? 10 : 12, length = version === 1 ? view.getUint16(8, true) : bytes.length < 12 ? Infinity : view.getUint32(8, true);
    if (length > MAX_HEADER_BYTES) refuse(`${where} must have a header of at most ${MAX_HEADER_BYTES} bytes, not ${length}.`);
    if (start + length > bytes.length) refuse(`${where} is cut off: its header must have ${start + length} bytes, and ${bytes.length} are there.`);
    const text = new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
    const field = (key, value) => text.match(new RegExp(`['"]${key}['"]\\s*:\\s*${value}`))?.[1];
    const descr = field("descr", "(['\"][^'\"]*['\"]|\\[.*\\])"), order = field("fortran_order", "(True|False)"), sides = field("shape", "\\(([\\d,\\sL]*)\\)");
    if (descr === undefined || order === undefined || sides === undefined) refuse(`${where} must have a header with descr, fortran_order and shape, not ${printable(text.trim())}.`);
    const [, endian, letter] = descr.slice(1, -1).match(/^([<>|=]?)(.*)$/);
    if (letter.startsWith("O")) refuse(`${where} has the type object: it holds a pickle, which may run programs when it is read, and is not read.`);
    if (!Object.hasOwn(TYPES, letter) || endian === ">") refuse(`${where} must have a type of real numbers, little-endian (${Object.keys(TYPES).filter((type) => type !== "bf2").join(", ")}), not ${printable(descr)}.`);
    const shape = (sides.match(/\d+/g) ?? []).map(Number), fortran = order === "True";
    if (fortran && shape.length > 2) refuse(`${where} must be in the order of C, as numpy.ascontiguousarray gives it: in that of Fortran only matrices are read, not ${shown(shape)}.`);
    const decode = (numbers) => (fortran && shape.length === 2 ? turned(decoded(numbers, letter), shape[1], shape[0]) : decoded(numbers, letter));
    return { shape, type: letter, begin: start + length, decode };
  };

  // .npz

  const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
    for (let i = 0; i < 8; i++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
    return byte;
  });
  const crc32 = (bytes) => {
    let found = -1;
    for (let i = 0; i < bytes.length; i++) found = CRC[(found ^ bytes[i]) & 255] ^ (found >>> 8);
    return ~found >>> 0;
  };
  const members = async (blob, name) => { // the directory at the end of an archive
    const tail = await viewOf(blob, max(0, blob.size - 65_557), blob.size);
    let end = tail.byteLength - 22;
    while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
    if (end < 0) refuse(`${name} is cut off: an archive must end with its directory.`);
    const count = tail.getUint16(end + 10, true), size = tail.getUint32(end + 12, true), start = tail.getUint32(end + 16, true);
    if (start === 0xffffffff) refuse(`${name} must have at most 2 GB; larger networks are read from .safetensors.`);
    if (start + size > blob.size) refuse(`${name} is cut off: its directory must be bytes ${start} to ${start + size}, and there are ${blob.size}.`);
    const directory = await viewOf(blob, start, start + size), all = [];
    for (let i = 0, entry = 0; i < count; i++) {
      if (entry + 46 > size || directory.getUint32(entry, true) !== 0x02014b50) refuse(`${name} is broken: entry ${i + 1} of ${count} must be in its directory.`);
      const [flags, method, letters, extra, comment] = [8, 10, 28, 30, 32].map((offset) => directory.getUint16(entry + offset, true));
      const [crc, packed, unpackedSize, header] = [16, 20, 24, 42].map((offset) => directory.getUint32(entry + offset, true));
      const file = printable(new TextDecoder().decode(directory.buffer.slice(entry + 46, entry + 46 + letters)));
      const where = `${name}: member '${file}'`, local = await viewOf(blob, header, header + 30);
      if (local.byteLength < 30 || local.getUint32(0, true) !== 0x04034b50) refuse(`${where} is broken: its header must be at byte ${header}.`);
      if (flags & 1) refuse(`${where} is encrypted, and is not read.`);
      if (method !== 0 && method !== 8) refuse(`${where} must be stored or deflated (method 0 or 8), not compressed by method ${method}.`);
      const begin = header + 30 + local.getUint16(26, true) + local.getUint16(28, true);
      all.push({ file, method, crc, size: unpackedSize, packed: blob.slice(begin, begin + packed) });
      entry += 46 + letters + extra + comment;
    }
    return all;
  };
  const unpacked = async ({ packed, method }, most) => { // the first bytes of a member, at most so many, whatever it would give
    if (method === 0) return bytesOf(packed, 0, most);
    const reader = packed.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader(), result = new Uint8Array(most);
    let have = 0;
    while (have < most) {
      const { done, value } = await reader.read();
      if (done) break;
      result.set(value.subarray(0, most - have), have);
      have = min(most, have + value.length);
    }
    reader.cancel().catch(() => {});
    return result.subarray(0, have);
  };
  const npz = async (blob, name) => {
    const arrays = new Map();
    for (const member of await members(blob, name)) {
      if (/(^|\/)data\.pkl$/.test(member.file)) refuse(`${name} is a file of PyTorch with a pickle, which may run programs when it is read, and is not read. Convert it: safetensors.torch.save_file.`);
      if (!member.file.endsWith(".npy")) continue;
      const label = member.file.slice(0, -4), where = `${name}: array '${label}'`;
      const { shape, type, begin, decode } = npyHeader(await unpacked(member, min(member.size, MAX_HEADER_BYTES + 12)), where);
      const load = async () => {
        const size = limited(where, shape, type);
        if (member.size !== begin + size) refuse(`${where} must have ${size} bytes for its shape ${shown(shape)}, not ${member.size - begin}.`);
        const bytes = await unpacked(member, member.size);
        if (bytes.length !== member.size) refuse(`${where} ends early: it must unpack to ${member.size} bytes, not ${bytes.length}.`);
        const crc = crc32(bytes);
        if (crc !== member.crc) refuse(`${where} is broken: its checksum must be ${member.crc}, not ${crc}.`);
        return decode(bytes.subarray(begin));
      };
      arrays.set(label, { name: label, shape, type, load });
    }
    if (!arrays.size) refuse(`${name} must have arrays as numpy.savez writes them; it has none.`);
    return arrays;
  };
  const npy = async (blob, name) => {
    const { shape, type, begin, decode } = npyHeader(await bytesOf(blob, 0, MAX_HEADER_BYTES + 12), name);
    const load = async () => {
      const size = limited(name, shape, type);
      if (blob.size < begin + size) refuse(`${name} is cut off: its shape ${shown(shape)} needs ${size} bytes, and ${blob.size - begin} are there.`);
      return decode(await bytesOf(blob, begin, begin + size));
    };
    return new Map([["X", { name: "X", shape, type, load }]]);
  };

  // .safetensors

  const counts = (values) => values.every((value) => Number.isSafeInteger(value) && value >= 0);
  const safetensors = async (blob, name) => {
    if (blob.size < 8) refuse(`${name} is cut off: a .safetensors file must have at least 8 bytes, not ${blob.size}.`);
    const length = Number((await viewOf(blob, 0, 8)).getBigUint64(0, true)), begin = 8 + length;
    if (begin > blob.size) refuse(`${name} is no .safetensors file, or is cut off: its table must have at most ${blob.size - 8} bytes, not ${length}.`);
    const table = JSON.parse(new TextDecoder().decode(await bytesOf(blob, 8, begin))), arrays = new Map();
    for (const [label, entry] of Object.entries(table)) {
      if (label === "__metadata__") continue;
      const { dtype, shape, data_offsets: place } = entry ?? {}, where = `${name}: array '${printable(label)}'`;
      if (!Array.isArray(shape) || !Array.isArray(place) || place.length !== 2 || !counts([...shape, ...place])) refuse(`${where} must have a shape and two data_offsets, whole numbers from 0, not ${printable(JSON.stringify(entry))}.`);
      if (!Object.hasOwn(SAFE, dtype)) refuse(`${where} must have one of the types ${Object.keys(SAFE).join(", ")}, not ${printable(JSON.stringify(dtype))}.`);
      const type = SAFE[dtype], size = product(shape) * itemsize(type), [start, end] = place;
      if (start > end || end > blob.size - begin) refuse(`${where} must lie within the ${blob.size - begin} bytes of numbers, not at ${start} to ${end}.`);
      if (size !== end - start) refuse(`${where} must have ${size} bytes for its shape ${shown(shape)}, not ${end - start}.`);
      const load = async () => {
        limited(where, shape, type);
        return decoded(await bytesOf(blob, begin + start, begin + end), type);
      };
      arrays.set(label, { name: label, shape, type, load });
    }
    if (!arrays.size) refuse(`${name} must have at least one array; it has none.`);
    return arrays;
  };

  const stored = async (file) => { // the arrays of a file by their names: it is what its first bytes say, except for .safetensors
    const name = printable(file.name), head = await bytesOf(file, 0, 2), ending = file.name.toLowerCase().match(/\.(\w+)$/)?.[1];
    const begins = (...bytes) => bytes.every((byte, i) => head[i] === byte);
    if (!head.length) refuse(`${name} must not be empty; it has 0 bytes.`);
    if (ending === "safetensors") return safetensors(file, name); // which may begin with any bytes: a length
    if (/^(pt|pth|bin|ckpt|pkl|pickle|joblib)$/.test(ending) || (begins(0x80) && head[1] >= 2 && head[1] <= 5)) refuse(`${name} may hold a pickle, which may run programs when it is read, and is not read. Convert it where it comes from: safetensors.torch.save_file.`);
    if (begins(0x50, 0x4b)) return npz(file, name);
    if (begins(0x93, 0x4e)) return npy(file, name);
    return refuse(`${name} must be .npz or .npy, as NumPy writes them, or .safetensors; its first bytes are those of neither. Convert it: numpy.savez('net.npz', **arrays).`);
  };
  const load = async (array, shape = null) => { // the numbers of an array: all finite, in the shape that is asked for
    if (shape && (array.shape.length !== shape.length || shape.some((side, axis) => side !== null && side !== array.shape[axis])))
      refuse(`Array '${printable(array.name)}' must have shape ${shown(shape.map((side) => side ?? "any"))}, not ${shown(array.shape)}.`);
    const data = await array.load(), columns = array.shape[array.shape.length - 1];
    for (let i = 0; i < data.length; i++) {
      if (Number.isFinite(data[i])) continue;
      const place = array.shape.length === 2 ? [floor(i / columns), i % columns] : [i];
      refuse(`Array '${printable(array.name)}' must be finite; entry ${shown(place)} is ${data[i]}.`);
    }
    return data;
  };

  // --- sparse_meter.naming ---

  const FAMILIES = [
    ["gate_proj", "down_proj", "up_proj"], ["w1", "w2", "w3"], ["wi_0", "wo", "wi_1"], ["fc1", "fc2", ""],
    ["linear1", "linear2", ""], ["lin1", "lin2", ""], ["wi", "wo", ""], ["c_fc", "c_proj", ""],
    ["dense_h_to_4h", "dense_4h_to_h", ""], ["up_proj", "down_proj", ""], ["intermediate.dense", "output.dense", ""], ["w1", "w2", ""],
  ];
  const COLUMNS = ["c_fc", "W_enc"], LISTED = 8, ADDED = (who) => `The bias is added, as ${who} does: b of Definition 1 is its negative.`;
  const same = (one, other) => one.length === other.length && one.every((side, axis) => side === other[axis]);
  const weightless = (name) => name.replace(/\.weight$/, "");
  const biasOf = (inner, shapes) => {
    const bias = inner.replace(/weight$|kernel$/, "bias");
    return bias !== inner && shapes.has(bias) ? bias : "";
  };
  const block = (name, shapes, inner, outer, up, bias = "", threshold = "", columns = false) => { // if the arrays are there and fit
    if ([outer, up].some((part) => part && !shapes.has(part)) || shapes.get(inner).length !== 2) return null;
    bias ||= biasOf(inner, shapes);
    const [first, second] = shapes.get(inner);
    if (bias && first !== second && (same(shapes.get(bias), [first]) || same(shapes.get(bias), [second]))) columns = same(shapes.get(bias), [second]);
    const [s, n] = columns ? [second, first] : [first, second];
    if (outer && (shapes.get(outer).length !== 2 || shapes.get(outer)[columns ? 0 : 1] !== s)) return null;
    if ((up && !same(shapes.get(up), shapes.get(inner))) || (bias && !same(shapes.get(bias), [s]))) return null;
    const notes = [`${inner} has one neuron in each ${columns ? "column, and is transposed" : "row"}.`, bias ? `${bias} is added: b of Definition 1 is its negative.` : "There is no bias."];
    if (up) notes.push(`Gated: neuron j is row j of ${inner} and ${up} and column j of ${outer}; active where the gate is.`);
    return { name, s, n, inner, bias, outer, up, threshold, columns, notes };
  };
  const families = (shapes) => FAMILIES.flatMap(([inner, outer, up]) => {
    const ending = `${inner}.weight`;
    return [...shapes.keys()].filter((name) => name === ending || name.endsWith(`.${ending}`)).map((name) => {
      const prefix = name.slice(0, -ending.length);
      return block(prefix.replace(/\.+$/, "") || inner, shapes, name, `${prefix}${outer}.weight`, up && `${prefix}${up}.weight`, "", "", COLUMNS.includes(inner));
    }).filter(Boolean);
  });
  const transcoders = (shapes, lower = new Map([...shapes.keys()].map((name) => [name.toLowerCase(), name]))) => [...shapes.keys()].filter((name) => /(^|\.)w_enc$/i.test(name)).map((name) => {
    const prefix = name.slice(0, -"w_enc".length);
    const [outer, bias, threshold] = ["w_dec", "b_enc", "threshold"].map((part) => lower.get(`${prefix}${part}`.toLowerCase()) ?? "");
    return block(prefix.replace(/\.+$/, "") || name, shapes, name, outer, "", bias, threshold, true);
  }).filter(Boolean);
  const listIn = (lists, key) => lists.set(key, lists.get(key) ?? []).get(key);
  const numbered = (shapes) => {
    const parents = new Map();
    for (const [name, shape] of shapes) {
      const match = name.match(/^(.*?)(\d{1,9})\.weight$/);
      if (match && shape.length === 2) listIn(parents, match[1]).push([Number(match[2]), name]);
    }
    return [...parents.values()].flatMap((all) => {
      const maps = all.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)).map(([, name]) => name);
      return maps.slice(1).map((outer, i) => block(weightless(maps[i]), shapes, maps[i], outer, "")).filter(Boolean);
    });
  };
  const pairs = (shapes) => { // the second takes as many neurons as the first has a bias for; two such pairs tell no more than a thousand
    const matrices = [...shapes].filter(([, shape]) => shape.length === 2), taking = [new Map(), new Map()], found = [];
    for (const [name, shape] of matrices) shape.forEach((side, axis) => listIn(taking[axis], side).push(name));
    for (const [inner, [first, second]] of matrices) {
      const bias = biasOf(inner, shapes), columns = bias && first !== second && same(shapes.get(bias), [second]), s = columns ? second : first;
      if (!bias || !same(shapes.get(bias), [s])) continue;
      for (const outer of taking[columns ? 0 : 1].get(s) ?? []) {
        if (outer !== inner) found.push(block(weightless(inner), shapes, inner, outer, "", bias));
        if (found.length > 1) return found;
      }
    }
    return found;
  };
  const blocks = (shapes) => {
    const named = new Map([...families(shapes), ...transcoders(shapes)].reverse().map((one) => [one.outer || one.inner, one]));
    let found = [...named.values()];
    if (!found.length) found = numbered(shapes);
    if (!found.length && (found = pairs(shapes)).length !== 1) found = [];
    return found.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  };
  // What shows that more is computed than two or three linear maps: something between them, or beside one of their weights.
  const checked = (found, shapes) => {
    const { inner, outer, up, bias, threshold, s, n } = found, own = [inner, outer, up, bias, threshold, up && biasOf(up, shapes), outer && biasOf(outer, shapes)];
    const place = (name) => name.slice(0, max(0, name.lastIndexOf("."))), [first, last] = [inner, outer].map((name) => name.match(/^(|.*\.)(\d{1,9})\.weight$/));
    const [one, other] = [inner.split("."), outer.split(".")], apart = one.findIndex((part, i) => part !== other[i]), common = one.slice(0, max(0, apart)).join(".");
    for (const [name, shape] of shapes) {
      if (own.includes(name)) continue;
      for (const map of [inner, outer, up]) {
        if (place(map) && name.startsWith(`${place(map)}.`)) refuse(`The network must have plain weights: '${printable(name)}' stands beside '${printable(map)}', which it may scale, mask or change. Convert quantized, pruned or adapted weights first.`);
      }
      const module = place(name), beside = `${place(module)}.`.startsWith(`${common}.`), linear = shapes.get(`${module}.weight`)?.length === 2;
      let between = same(shape, [s]) && beside && !linear && (s !== n || name.includes("running_"));
      if (first && last) {
        const number = name.startsWith(first[1]) ? name.slice(first[1].length).match(/^(\d{1,9})\./) : null;
        between = Boolean(number) && Number(first[2]) < Number(number[1]) && Number(number[1]) < Number(last[2]);
      }
      if (between && outer) refuse(`The network must have nothing that computes between '${printable(inner)}' and '${printable(outer)}': '${printable(name)}' ${shown(shape)} may normalise what the activation function sees. The package runs the model itself.`);
    }
    return found;
  };
  const listed = (names) => (names.length ? names.slice(0, LISTED).join(", ") + (names.length > LISTED ? ` and ${names.length - LISTED} more` : "") : "nothing");
  const byArrays = (layer, shapes) => { // "inner,outer" or "gate,down,up"
    const parts = layer.split(",").map((part) => part.trim()), names = parts.map((part) => (shapes.has(part) ? part : `${part}.weight`));
    const there = () => listed([...shapes].map(([name, shape]) => `${name} ${shown(shape)}`)), missing = parts.filter((_, i) => !shapes.has(names[i]));
    if (missing.length || parts.length > 3) refuse(`The layer must name two or three arrays; ${printable((missing.length ? missing : parts).join(", "))} are not. There: ${printable(there())}.`);
    const [inner, outer, up = ""] = names, found = block(parts[0], shapes, inner, outer, up) ?? block(parts[0], shapes, inner, outer, up, "", "", true);
    return found ?? refuse(`The layer must name arrays that fit together; their shapes are ${names.map((name) => shown(shapes.get(name))).join(", ")}.`);
  };

  // --- sparse_meter.layer ---

  const RELU = { kind: "relu", threshold: 0, k: null };
  const parseUnit = (text) => { // as the page writes it: a kind, and for some a colon and a number
    const [kind, value] = text.split(":"), number = Number(value || NaN);
    if (kind === "top-k") return Number.isInteger(number) && number >= 1 ? { kind, threshold: 0, k: number } : refuse(`k of top-k must be a whole number of at least 1, not ${value || "nothing"}.`);
    if (value !== undefined && !(number >= 0)) refuse(`The threshold of ${kind} must be a number of at least 0, not ${value || "nothing"}.`);
    return { kind, threshold: number || 0, k: null };
  };
  const unitName = ({ kind, threshold, k }) => {
    if (kind === "top-k") return `${kind}:${k}`;
    if (kind === "relu" || kind === "relu2") return kind;
    return typeof threshold === "number" ? `${kind}:${Number(threshold.toPrecision(6))}` : `${kind}, a threshold for each neuron`;
  };
  const negative = (data) => data.map((value) => -value);
  const fromDefinition = async (arrays) => {
    const [u, W, b] = ["u", "W", "b"].map((name) => arrays.get(name));
    if (W.shape.length !== 2) refuse(`Array 'W' must have 2 axes, not ${W.shape.length} (its shape is ${shown(W.shape)}).`);
    const [s, n] = W.shape;
    if (b.shape[0] !== s && b.shape[0] === n) refuse(`Array 'W' must have one neuron in each row, not in each column as here, where its shape is ${shown(W.shape)}: store W.T.`);
    const notes = ["Arrays (u, W, b) are those of Definition 1: one neuron in each row of W, the bias subtracted."];
    if (s === n) notes.push("W is square: if its columns are the neurons, as in Keras and scikit-learn, pass W.T.");
    const one = u.shape.length === 1;
    return { W: await load(W), b: await load(b, [s]), U: await load(u, one ? [s] : [null, s]), outputs: one ? 1 : u.shape[0], s, n, gated: false, unit: RELU, notes };
  };
  const fromFour = async (arrays) => { // arr_0, ..., arr_3 in the order of Keras or of PyTorch's parameters()
    const [inner, bias, outer, constant] = [...arrays.values()];
    if (!same([inner, bias, outer, constant].map((one) => one.shape.length), [2, 1, 2, 1])) refuse(`Four arrays must be weights, biases, weights, biases: of 2, 1, 2 and 1 axes, not ${[...arrays.values()].map((one) => one.shape.length).join(", ")}.`);
    const rows = inner.shape[0] === bias.shape[0] && bias.shape[0] === outer.shape[1] && outer.shape[0] === constant.shape[0];
    const columns = inner.shape[1] === bias.shape[0] && bias.shape[0] === outer.shape[0] && outer.shape[1] === constant.shape[0];
    if (rows === columns) refuse(`The shapes ${[...arrays.values()].map((one) => shown(one.shape)).join(", ")} ${rows ? "fit both ways of storing neurons, in rows and in columns" : "do not fit together"}: store u, W and b, with one neuron in each row of W.`);
    const [W, b, U] = [await load(inner), negative(await load(bias)), await load(outer)], note = (place, who) => [`Neurons are in the ${place} of the first array: ${ADDED(who)}`];
    const [first, second] = inner.shape;
    const layer = { b, gated: false, unit: RELU };
    if (rows) return { ...layer, W, U, outputs: outer.shape[0], s: first, n: second, notes: note("rows", "PyTorch") };
    return { ...layer, W: turned(W, first, second), U: turned(U, ...outer.shape), outputs: outer.shape[1], s: second, n: first, notes: note("columns", "Keras") };
  };
  const ofBlock = async (found, arrays) => {
    const { s, n, columns } = found, get = (name) => load(arrays.get(name));
    checked(found, new Map([...arrays].map(([name, { shape }]) => [name, shape])));
    for (const name of [found.inner, found.outer, found.up]) if (["i1", "u1"].includes(arrays.get(name)?.type)) refuse(`The network must have weights that are not quantized: '${printable(name)}' holds integers of 8 bits. Convert it, with its scales, first.`);
    let W = await get(found.inner), U = found.outer ? await get(found.outer) : null;
    const b = found.bias ? negative(await get(found.bias)) : new W.constructor(s), outputs = U && arrays.get(found.outer).shape[columns ? 1 : 0];
    if (found.up) await get(found.up); // it decides no activity, but must be finite
    if (columns) [W, U] = [turned(W, n, s), U && turned(U, s, outputs)];
    const unit = found.threshold ? { kind: "thresholded", threshold: await load(arrays.get(found.threshold), [s]), k: null } : RELU;
    return { W, b, U, outputs, s, n, gated: Boolean(found.up), unit, notes: found.notes };
  };

  // The layers of a file: their names and sizes at once, their numbers when they are asked for.
  const openNetwork = (arrays, asked) => {
    const shapes = new Map([...arrays].map(([name, { shape }]) => [name, shape])), keys = [...arrays.keys()];
    if (asked) {
      const found = byArrays(asked, shapes);
      return [{ ...found, read: () => ofBlock(found, arrays) }];
    }
    if (["u", "W", "b"].every((name) => arrays.has(name))) {
      const [s, n] = arrays.get("W").shape;
      return [{ name: "u, W, b", s, n, read: () => fromDefinition(arrays) }];
    }
    if (keys.length === 4 && keys.every((name, i) => name === `arr_${i}`)) return [{ name: "the four arrays", read: () => fromFour(arrays) }];
    const found = blocks(shapes);
    if (!found.length) refuse(`No hidden layer was recognised by its names, as u, W and b or those of a state_dict. Name its arrays, as in "inner,outer". There: ${printable(listed([...shapes].map(([name, shape]) => `${name} ${shown(shape)}`)))}.`);
    return found.map((one) => ({ ...one, read: () => ofBlock(one, arrays) }));
  };

  // --- Inputs: a source gives rows in double precision, however large it is ---

  // The largest cube that is visited point by point, and (point, neuron) pairs up to which it is: those of sparse_core.
  const EXACT_N = 20, EXACT_PAIRS = 2 ** 24;
  // (point, neuron, flip) triples, and the points that they give, of a sample of the cube: those of sparse_core.
  const SAMPLED_TRIPLES = 2 ** 28, MIN_SAMPLE = 256, MAX_SAMPLE = 4096;

  const given = async (array, n, name) => {
    const { shape } = array;
    if (shape.length < 2) refuse(`The inputs must have at least 2 axes, one input in each row, not ${shape.length} (the shape in ${name} is ${shown(shape)}).`);
    if (n !== null && shape[shape.length - 1] !== n) refuse(`The inputs must have ${n} columns, one for each input of the layer, not ${shape[shape.length - 1]} (the shape in ${name} is ${shown(shape)}).`);
    const m = product(shape.slice(0, -1)), columns = shape[shape.length - 1];
    if (m === 0 || columns === 0) refuse(`The inputs must have at least one row and one column, not the shape ${shown(shape)}.`);
    const data = await load({ ...array, name: "X" });
    const fill = (start, count, to) => to.set(data.subarray(start * columns, (start + count) * columns));
    return { m, n: columns, fill, words: `the ${m} inputs given` };
  };
  const drawn = (seed) => () => { // mulberry32: 32 random bits
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const bits = (n, s) => { // uniform bits: the whole cube in the order of cube.hypercube.points, or a sample of it
    if (n <= EXACT_N && s * 2 ** n <= EXACT_PAIRS) {
      const fill = (start, count, to) => {
        for (let r = 0; r < count; r++) for (let j = 0; j < n; j++) to[r * n + j] = 1 - 2 * (((start + r) >>> j) & 1);
      };
      return { m: 2 ** n, fill, words: `all ${2 ** n} points of the cube` };
    }
    const m = max(MIN_SAMPLE, min(MAX_SAMPLE, floor(SAMPLED_TRIPLES / (n * s)))), next = drawn(0);
    const fill = (_, count, to) => {
      for (let i = 0; i < count * n; i++) to[i] = next() & 1 ? 1 : -1;
    };
    return { m, fill, words: `${m} random points of the cube, seed 0` };
  };

  // --- sparse_meter.counting ---

  // Inputs that go through a product together: 64 rows of 2048 doubles are 1 MB, and stay in the caches.
  const TILE = 64;
  // Milliseconds between two words about progress.
  const EVERY = 80;

  const shiftOf = ({ b, unit: { threshold } }) => Float64Array.from(b, (value, j) => value + (typeof threshold === "number" ? threshold : threshold[j]));
  const products = (W, s, n, x, z) => { // z[r, j] = <w_j, x_r> for a tile, four rows at a time: no sum waits for another one
    for (let j = 0; j < s; j++) {
      const w = new Float64Array(W.subarray(j * n, (j + 1) * n));
      for (let r = 0; r < TILE; r += 4) {
        let first = 0, second = 0, third = 0, fourth = 0;
        for (let i = 0, at = r * n; i < n; i++, at++) {
          first += w[i] * x[at];
          second += w[i] * x[at + n];
          third += w[i] * x[at + 2 * n];
          fourth += w[i] * x[at + 3 * n];
        }
        z[r * s + j] = first;
        z[(r + 1) * s + j] = second;
        z[(r + 2) * s + j] = third;
        z[(r + 3) * s + j] = fourth;
      }
    }
  };
  const keepLargest = (row, k) => { // 0 for all but the k largest, of equal ones the first
    const least = row.slice().sort()[row.length - k];
    let equal = k - row.filter((value) => value > least).length;
    row.forEach((value, j) => { if (value < least || (value === least && equal-- <= 0)) row[j] = 0; });
  };
  const scaleOf = ({ W, b, U, outputs, s, n, gated, unit }) => { // (W, B) of Definition 2, and max_j |u_j| ||w_j||
    if (!U || !outputs || gated || !["relu", "shifted"].includes(unit.kind)) return { scale: null, balanced_W: null };
    const u = new Float64Array(s);
    for (let o = 0; o < outputs; o++) for (let j = 0; j < s; j++) u[j] = max(u[j], abs(U[o * s + j]));
    const shift = shiftOf({ b, unit });
    let norm = 0, bias = 0, top = 0, balanced = 0;
    for (let j = 0; j < s; j++) {
      const length = sqrt(squared(W.subarray(j * n, (j + 1) * n)));
      [norm, bias, top, balanced] = [max(norm, length), max(bias, abs(shift[j])), max(top, u[j]), max(balanced, u[j] * length)];
    }
    if (!Number.isFinite(top * norm) || !Number.isFinite(top * bias)) refuse("The network must have smaller weights: its scale (W, B) is not a finite number.");
    return { scale: { W: top * norm, B: top * bias }, balanced_W: balanced };
  };

  // The neurons that some of so many inputs, drawn without replacement, use: each is missed with probability
  // C(M - c, m) / C(M, m), the product of (M - c - i) / (M - i).
  const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256];
  const union = (activeAt, M, m) => sum(activeAt.map((c) => {
    let missed = 1;
    for (let i = 0; i < m && missed > 0; i++) missed *= max(0, M - i - c) / (M - i);
    return 1 - missed;
  }));
  const meaning = (unit, gated) => { // the words of the package
    const { kind, k } = unit, value = unitName(unit).split(":")[1] ?? "one for each neuron", output = ", that is an output not 0";
    const what = kind === "top-k" ? `a pre-activation above 0 and among the ${k} largest of its input${output}`
      : kind.startsWith("relu") ? "a pre-activation above 0, that is an output that is not 0" : `a pre-activation above its threshold (${value})${output}`;
    return `Active means ${what}${gated ? " of the gate" : ""}.`;
  };

  const summary = ({ s, n, outputs, unit, gated, notes }, m, activeAt, histogram) => {
    const total = sum(activeAt), mean = total / m, most = histogram.findLastIndex(Boolean);
    const squares = sum(histogram.map((count, K) => K * K * count));
    const variance = (m * squares - total ** 2) / m ** 2, independent = sum(activeAt.map((c) => c * (m - c))) / m ** 2;
    const dead = activeAt.filter((c) => c === 0).length, on = activeAt.filter((c) => c === m).length;
    const inactive = 1 - mean / s, worst = 1 - most / s, after = outputs + n * gated, later = outputs === null ? null : after / (after + n);
    return {
      notes, active_means: meaning(unit, gated), s, n, outputs, unit: unitName(unit), gated, inputs: m, histogram: [...histogram],
      max_active: most, mean_active: mean, dead, always_on: on, dynamic: s - dead - on, variance,
      independent_variance: independent, coactivation: independent ? variance / independent : null,
      saved: {
        "delete the dead": dead / s, "skip outputs": later === null ? null : inactive * later,
        "skip outputs, worst input": later === null ? null : worst * later, "skip neurons": inactive, "skip neurons, worst input": worst,
      },
      union: BATCHES.filter((batch) => batch <= m).map((batch) => ({ batch, used: union(activeAt, m, batch) })),
    };
  };
  const measureLayer = (layer, source, progress) => { // a tile of the inputs at a time; without weights, these are pre-activations
    const { s, n, W, unit: { k } } = layer, { m } = source, shift = shiftOf(layer);
    const z = new Float64Array(TILE * s), x = W ? new Float64Array(TILE * n) : z;
    const activeAt = new Float64Array(s), histogram = new Float64Array(s + 1);
    let radius = 0;
    for (let start = 0; start < m; start += TILE) {
      const rows = min(TILE, m - start);
      source.fill(start, rows, x);
      if (W) products(W, s, n, x, z);
      for (let r = 0; r < rows; r++) {
        const row = z.subarray(r * s, (r + 1) * s);
        if (W) radius = max(radius, squared(x.subarray(r * n, (r + 1) * n)));
        for (let j = 0; j < s; j++) row[j] -= shift[j];
        if (!row.every(Number.isFinite)) refuse("The network and the inputs must be smaller: a sum of theirs is not a finite number.");
        if (k !== null) keepLargest(row, k);
        let active = 0;
        for (let j = 0; j < s; j++) {
          if (!(row[j] > 0)) continue;
          active++;
          activeAt[j]++;
        }
        histogram[active]++;
      }
      progress((start + rows) / m);
    }
    if (radius === Infinity) refuse("The inputs must be smaller: the norm of one is not a finite number.");
    return { ...summary(layer, m, activeAt, histogram), ...scaleOf(layer), R: W && sqrt(radius) };
  };

  // --- One run: what the page asks for, and what is said on the way ---

  const inputsOf = (arrays, file, n) => { // the one array of a file of inputs, or its array X
    const chosen = arrays.get("X") ?? (arrays.size === 1 ? [...arrays.values()][0] : null);
    if (!chosen) refuse(`${printable(file.name)} must have one array, or one of the name X, as inputs; it has ${listed([...arrays.keys()].map(printable))}.`);
    return given(chosen, n, printable(file.name));
  };
  const preActivations = (s) => ({
    W: null, b: new Float64Array(s), U: null, outputs: null, s, n: null, gated: false, unit: RELU,
    notes: ["Pre-activations were given: weights and inputs are not known."],
  });
  const run = async ({ network, inputs, layer, arrays: named, unit }, say) => {
    let last = 0;
    const progress = (share) => {
      if (performance.now() - last < EVERY) return;
      last = performance.now();
      say({ kind: "progress", share });
    };
    const measured = (one, source, layers, index) => {
      if (unit) one.unit = parseUnit(unit);
      if (one.unit.k > one.s) refuse(`k of top-k must be at most the number of neurons, ${one.s}, not ${one.unit.k}.`);
      const report = measureLayer(one, source, progress);
      say({ kind: "measured", layers: layers.map(({ name, s = one.s, n = one.n }) => ({ name, s, n })), index, report, words: source.words });
    };
    const file = printable(network.name), arrays = await stored(network), X = arrays.get("X");
    if (arrays.size === 1 && X && !named) {
      if (inputs) refuse(`${file} has one array, which is taken for pre-activations, and these need no inputs; ${printable(inputs.name)} is not used. Choose a network in its place.`);
      const source = await given(X, null, file);
      return measured(preActivations(source.n), source, [{ name: "pre-activations" }], 0);
    }
    arrays.delete("X");
    const layers = openNetwork(arrays, named), index = min(layer, layers.length - 1);
    if (layers.length > 1) say({ kind: "layers", layers: layers.map(({ name, s, n }) => ({ name, s, n })), index }); // also where the inputs fit another one
    const one = await layers[index].read(), { n, s } = one;
    if (s * n === 0) refuse(`The layer must have at least one neuron and one input, not ${s} and ${n}.`);
    if (one.unit === RELU && !unit) one.notes.push("The file does not name the activation function: ReLU is assumed.");
    const source = inputs ? await inputsOf(await stored(inputs), inputs, n) : X ? await given(X, n, file) : bits(n, s);
    one.notes.push(inputs || X ? "The inputs are those of this layer; what stands before it is not looked at." : "No inputs were given: uniform bits are assumed.", "Precision: float64.");
    return measured(one, source, layers, index);
  };
  const answer = (job, say) => run(job, say).catch((problem) => say({
    kind: "refused",
    words: problem instanceof Refusal ? problem.message : problem instanceof RangeError ? `There is not enough memory in this tab: ${printable(problem.message)}.` : `The file could not be read: ${printable(problem.message)}.`,
  }));
  return answer;
};
