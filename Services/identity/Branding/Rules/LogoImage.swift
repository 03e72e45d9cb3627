import Vocabulary

/// A picture that an administrator gave as logo: PNG, JPEG or WebP, with one frame. The whole container is read, so that a
/// file that is also of another format is refused. The pixels are left to browsers.
struct LogoImage: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case png = "image/png", jpeg = "image/jpeg", webP = "image/webp"
    }

    /// A page with everything has at most 60 KB.
    static let maximumBytes = 32 << 10
    static let sides = 1...1024

    let format: Format
    let width: Int
    let height: Int
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(LogoImageError) {
        guard bytes.count <= Self.maximumBytes else { throw .tooManyBytes(bytes.count) }
        let format: Format
        let size: Size
        if bytes.starts(with: PNGContainer.signature) {
            (format, size) = (.png, try PNGContainer.size(of: bytes))
        } else if bytes.starts(with: JPEGContainer.start) {
            (format, size) = (.jpeg, try JPEGContainer.size(of: bytes))
        } else if bytes.starts(with: WebPContainer.signature) {
            (format, size) = (.webP, try WebPContainer.size(of: bytes))
        } else {
            throw Self.isSVG(bytes) ? .svg : .unknownFormat
        }
        guard Self.sides.contains(size.width), Self.sides.contains(size.height) else { throw .wrongSize(size) }
        self.format = format
        width = size.width
        height = size.height
        self.bytes = bytes
    }

    struct Size: Equatable, Sendable {
        var width: Int
        var height: Int
    }

    /// Whether this is a document of markup in an encoding that has ASCII bytes. One in UTF-16 is of an unknown format.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        let head = bytes.prefix(4096)
        let tag = Array("<svg".utf8)
        return head.indices.contains { head[$0...].prefix(tag.count).map(\.asciiLowercased) == tag }
    }
}

/// Why bytes are no logo. The description continues a sentence that begins with the name of the field.
enum LogoImageError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooManyBytes(Int)
    case svg
    case unknownFormat
    case malformed(LogoImage.Format)
    case animated(LogoImage.Format)
    case wrongSize(LogoImage.Size)

    var description: String {
        switch self {
        case .tooManyBytes(let count): "has \(count) bytes: at most \(LogoImage.maximumBytes) are allowed"
        case .svg: "is an SVG document, which can contain scripts: use PNG, JPEG or WebP"
        case .unknownFormat: "is no PNG, JPEG or WebP file"
        case .malformed(let format): "is damaged, or not only a file of the type \(format.rawValue)"
        case .animated(let format): "is an animation of the type \(format.rawValue): use a picture that stands still"
        case .wrongSize(let size):
            "has \(size.width) x \(size.height) pixels: each side has \(LogoImage.sides.lowerBound) to "
                + "\(LogoImage.sides.upperBound)"
        }
    }
}

// MARK: - Containers

/// Reads fields from the front of bytes; nil where too few are left.
private struct ImageReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func bigEndian(_ count: Int) -> Int? { bytes(count)?.reduce(0) { $0 << 8 | Int($1) } }

    mutating func littleEndian(_ count: Int) -> Int? { bytes(count)?.reversed().reduce(0) { $0 << 8 | Int($1) } }

    mutating func byte() -> UInt8? { rest.popFirst() }
}

/// PNG (third edition), sections 5 and 11: a signature, and chunks from `IHDR` to `IEND`.
private enum PNGContainer {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    static func size(of bytes: [UInt8]) throws(LogoImageError) -> LogoImage.Size {
        var reader = ImageReader(bytes.dropFirst(signature.count))
        guard let (first, header) = chunk(&reader), first == "IHDR", let size = size(ofHeader: header) else {
            throw .malformed(.png)
        }
        var hasPixels = false
        while let (type, content) = chunk(&reader) {
            switch type {
            case "IEND":
                guard hasPixels, content.isEmpty, reader.rest.isEmpty else { throw .malformed(.png) }
                return size
            case "IDAT": hasPixels = true
            case "acTL", "fcTL", "fdAT": throw .animated(.png)
            case "PLTE": break
            // Others are for readers that know them if their first letter is small (5.4).
            default: guard type.utf8.first.map({ $0 & 0x20 != 0 }) == true else { throw .malformed(.png) }
            }
        }
        throw .malformed(.png)
    }

    private static func chunk(_ reader: inout ImageReader) -> (type: String, content: ArraySlice<UInt8>)? {
        guard let count = reader.bigEndian(4) else { return nil }
        let checked = reader.rest
        guard let type = reader.bytes(4), type.allSatisfy({ (0x41...0x5a).contains($0 & ~0x20) }),
            let content = reader.bytes(count), let sum = reader.bigEndian(4),
            sum == checksum(checked.prefix(count.addingSaturated(4)))
        else { return nil }
        return (String(decoding: type, as: UTF8.self), content)
    }

    /// CRC-32 (annex D).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
        let register = bytes.reduce(UInt32.max) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
            }
        }
        return Int(~register)
    }

    private static func size(ofHeader header: ArraySlice<UInt8>) -> LogoImage.Size? {
        var fields = ImageReader(header)
        guard let width = fields.bigEndian(4), let height = fields.bigEndian(4), let depth = fields.byte(),
            let colorType = fields.byte(), fields.byte() == 0, fields.byte() == 0,
            let interlace = fields.byte(), interlace <= 1, fields.rest.isEmpty
        else { return nil }
        let depths: [UInt8: Set<UInt8>] = [
            0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
        ]
        return depths[colorType]?.contains(depth) == true ? .init(width: width, height: height) : nil
    }
}

/// JPEG (ITU-T T.81), annex B: segments from the start to the end of the image, with one frame.
private enum JPEGContainer {
    static let start: [UInt8] = [0xff, 0xd8, 0xff]

    static func size(of bytes: [UInt8]) throws(LogoImageError) -> LogoImage.Size {
        var reader = ImageReader(bytes.dropFirst(2))
        var size: LogoImage.Size?
        var hasPixels = false
        while let marker = marker(&reader) {
            if marker == 0xd9 {
                guard let size, hasPixels, reader.rest.isEmpty else { throw .malformed(.jpeg) }
                return size
            }
            guard let count = reader.bigEndian(2), count >= 2, let content = reader.bytes(count.subtractingSaturated(2))
            else { throw .malformed(.jpeg) }
            switch marker {
            // Baseline, extended and progressive frames. Browsers show no others.
            case 0xc0, 0xc1, 0xc2:
                var fields = ImageReader(content)
                guard size == nil, fields.byte() == 8, let height = fields.bigEndian(2), let width = fields.bigEndian(2)
                else { throw .malformed(.jpeg) }
                size = .init(width: width, height: height)
            case 0xda:
                guard size != nil else { throw .malformed(.jpeg) }
                hasPixels = true
                skipScan(&reader)
            // Tables, the interval of restarts, application data, comments.
            case 0xc4, 0xdb, 0xdd, 0xe0...0xef, 0xfe: break
            default: throw .malformed(.jpeg)
            }
        }
        throw .malformed(.jpeg)
    }

    /// Any number of fill bytes stands before a marker.
    private static func marker(_ reader: inout ImageReader) -> UInt8? {
        guard reader.byte() == 0xff else { return nil }
        var marker = reader.byte()
        while marker == 0xff { marker = reader.byte() }
        return marker
    }

    /// Up to the next marker that is neither a restart nor a byte of the data.
    private static func skipScan(_ reader: inout ImageReader) {
        while let byte = reader.rest.first {
            if byte == 0xff, let next = reader.rest.dropFirst().first, next != 0, !(0xd0...0xd7).contains(next) {
                return
            }
            _ = reader.byte()
        }
    }
}

/// WebP (RFC 9649 §2): a RIFF file whose first chunk has the size.
private enum WebPContainer {
    static let signature = Array("RIFF".utf8)

    static func size(of bytes: [UInt8]) throws(LogoImageError) -> LogoImage.Size {
        var reader = ImageReader(bytes.dropFirst(signature.count))
        guard let count = reader.littleEndian(4), count == reader.rest.count,
            reader.bytes(4)?.elementsEqual("WEBP".utf8) == true,
            let (first, content) = chunk(&reader)
        else { throw .malformed(.webP) }
        switch first {
        case "VP8 ", "VP8L":
            guard reader.rest.isEmpty, let size = frameSize(first, content) else { throw .malformed(.webP) }
            return size
        case "VP8X":
            var fields = ImageReader(content)
            guard let flags = fields.byte(), fields.bytes(3) != nil, let width = fields.littleEndian(3),
                let height = fields.littleEndian(3), fields.rest.isEmpty
            else { throw .malformed(.webP) }
            guard flags & 0x02 == 0 else { throw .animated(.webP) }
            let size = LogoImage.Size(width: width.addingSaturated(1), height: height.addingSaturated(1))
            try checkFrame(&reader, of: size)
            return size
        default: throw .malformed(.webP)
        }
    }

    /// One frame of the size of the canvas, among other chunks.
    private static func checkFrame(_ reader: inout ImageReader, of size: LogoImage.Size) throws(LogoImageError) {
        var frames = 0
        while !reader.rest.isEmpty {
            guard let (type, content) = chunk(&reader) else { throw .malformed(.webP) }
            switch type {
            case "VP8 ", "VP8L":
                guard frameSize(type, content) == size else { throw .malformed(.webP) }
                frames += 1
            case "ANIM", "ANMF": throw .animated(.webP)
            default: break
            }
        }
        guard frames == 1 else { throw .malformed(.webP) }
    }

    /// Content with an odd number of bytes is followed by a byte 0.
    private static func chunk(_ reader: inout ImageReader) -> (type: String, content: ArraySlice<UInt8>)? {
        guard let type = reader.bytes(4), let count = reader.littleEndian(4), let content = reader.bytes(count),
            count.isMultiple(of: 2) || reader.byte() == 0
        else { return nil }
        return (String(decoding: type, as: UTF8.self), content)
    }

    private static func frameSize(_ type: String, _ content: ArraySlice<UInt8>) -> LogoImage.Size? {
        var fields = ImageReader(content)
        if type == "VP8 " {
            // A key frame (RFC 6386 §9.1); the upper two bits of each number are a scale.
            guard let tag = fields.littleEndian(3), tag & 1 == 0, fields.bigEndian(3) == 0x9d012a,
                let width = fields.littleEndian(2), let height = fields.littleEndian(2)
            else { return nil }
            return .init(width: width & 0x3fff, height: height & 0x3fff)
        }
        guard fields.byte() == 0x2f, let head = fields.littleEndian(4), head >> 29 == 0 else { return nil }
        return .init(width: (head & 0x3fff).addingSaturated(1), height: (head >> 14 & 0x3fff).addingSaturated(1))
    }
}
