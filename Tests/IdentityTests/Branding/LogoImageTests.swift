import Testing
import Vocabulary

@testable import IdentityService

/// Files of 5 x 3 pixels, as programs write them.
enum SampleImage {
    static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAIAAADUVFKvAAAAGklEQVR4nGPU0dFhQAIswcHByHzGy5cvI/MBWHQD/T9g80sAAAAASUVORK5CYII="
    static let baselineJPEG = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAKBueIx4ZKCMgoy0qqC+8P//8Nzc8P///////////////////////////////////////////////////\
        ///////2wBDAaq0tPDS8P//////////////////////////////////////////////////////////////////////////////wAARCAADAAUDAS\
        IAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAXEAEAAwAAAAAAAAAAAAAAAAAAAhJR/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQA\
        AAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/ALpHAAf/2Q==
        """
    static let lossyWebP = "UklGRigAAABXRUJQVlA4IBwAAACQAQCdASoFAAMADMDOJaQAAudZtgAA3kZmAAAA"
    static let losslessWebP =
        "UklGRjYAAABXRUJQVlA4TCoAAAAvBIAAABcgEEixUDYvEEixUDYvEEixUDY//4GVHwiybbY5XvLEEf0PmA8="
    static let transparentWebP = """
        UklGRlAAAABXRUJQVlA4WAoAAAAQAAAABAAAAgAAQUxQSA0AAAABD3CF/4iIMAER/Y8AAFZQOCAcAAAAkAEAnQEqBQADAAzAziWkAALk6iwAAN5dv\
        CAAAA==
        """

    static func bytes(_ base64: String) throws -> [UInt8] { try #require(Base64Field.decode(base64)) }

    /// A PNG file of one color, with a valid checksum of each chunk.
    static func png(width: Int, height: Int, beforePixels chunks: [(String, [UInt8])] = []) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { stride(from: 24, through: 0, by: -8).map { UInt8(value >> $0 & 255) } }
        func checksum(_ bytes: [UInt8]) -> Int {
            let register = bytes.reduce(UInt32.max) { register, byte in
                (0..<8).reduce(register ^ UInt32(byte)) { value, _ in
                    value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
                }
            }
            return Int(~register)
        }
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            number(content.count) + Array(type.utf8) + content + number(checksum(Array(type.utf8) + content))
        }
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + chunk("IHDR", number(width) + number(height) + [1, 0, 0, 0, 0]) + chunks.flatMap(chunk)
            + chunk("IDAT", [1]) + chunk("IEND", [])
    }
}

struct LogoImageTests {
    private typealias Format = LogoImage.Format

    @Test(arguments: [
        (SampleImage.png, LogoImage.Format.png), (SampleImage.baselineJPEG, .jpeg), (SampleImage.lossyWebP, .webP),
        (SampleImage.losslessWebP, .webP), (SampleImage.transparentWebP, .webP),
    ])
    func pictureOfEachFormatIsAccepted(base64: String, format: LogoImage.Format) throws {
        let image = try LogoImage(SampleImage.bytes(base64))
        #expect(image.format == format && image.width == 5 && image.height == 3)
    }

    /// So no file is a picture and something else at once.
    @Test(arguments: [
        SampleImage.png, SampleImage.baselineJPEG, SampleImage.lossyWebP, SampleImage.losslessWebP,
        SampleImage.transparentWebP,
    ])
    func containerIsReadToItsEnd(base64: String) throws {
        let bytes = try SampleImage.bytes(base64)
        for rest in [[0], Array("<script>alert(1)</script>".utf8)] as [[UInt8]] {
            #expect(throws: LogoImageError.self) { try LogoImage(bytes + rest) }
        }
        for count in 0..<bytes.count {
            #expect(throws: LogoImageError.self, "\(count) bytes") { try LogoImage(Array(bytes.prefix(count))) }
        }
    }

    @Test func eachBitOfPNGIsCovered() throws {
        let bytes = try SampleImage.bytes(SampleImage.png)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x10
            #expect(throws: LogoImageError.self, "byte \(place)") { try LogoImage(changed) }
        }
    }

    @Test(arguments: [(1, 1), (1024, 1024), (1, 1024)])
    func sideUpToTheLimitIsAccepted(width: Int, height: Int) throws {
        let image = try LogoImage(SampleImage.png(width: width, height: height))
        #expect(image.width == width && image.height == height)
    }

    @Test(arguments: [(1025, 1), (1, 1025), (0, 1), (1, 0), (0x7fff_ffff, 1), (0xffff_ffff, 0xffff_ffff)])
    func sideBeyondTheLimitIsRefused(width: Int, height: Int) {
        #expect(throws: LogoImageError.wrongSize(.init(width: width, height: height))) {
            try LogoImage(SampleImage.png(width: width, height: height))
        }
    }

    @Test func fileUpToTheLimitIsAccepted() throws {
        let overhead = SampleImage.png(width: 9, height: 9, beforePixels: [("tEXt", [])]).count
        func file(_ count: Int) -> [UInt8] {
            let text = [UInt8](repeating: 0x20, count: count - overhead)
            return SampleImage.png(width: 9, height: 9, beforePixels: [("tEXt", text)])
        }
        #expect(try LogoImage(file(LogoImage.maximumBytes)).bytes.count == LogoImage.maximumBytes)
        #expect(throws: LogoImageError.tooManyBytes(LogoImage.maximumBytes + 1)) {
            try LogoImage(file(LogoImage.maximumBytes + 1))
        }
    }

    @Test(arguments: [
        #"<svg xmlns="http://www.w3.org/2000/svg"/>"#,
        "<?xml version=\"1.0\"?>\n<!-- a -->\n<svg onload=\"alert(1)\"/>",
        "\u{feff}  <SVG/>", "<!DOCTYPE svg><svg><script>alert(1)</script></svg>",
    ])
    func svgIsRefusedByItsName(text: String) {
        #expect(throws: LogoImageError.svg) { try LogoImage(Array(text.utf8)) }
    }

    /// An SVG document, or a page, behind the first bytes of a picture.
    @Test(
        arguments: [
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], LogoImage.Format.png), ([0xff, 0xd8, 0xff], .jpeg),
            (Array("RIFF".utf8), .webP), (Array("RIFF\u{21}\u{0}\u{0}\u{0}WEBP".utf8), .webP),
        ] as [([UInt8], LogoImage.Format)])
    func svgInDisguiseIsRefused(start: [UInt8], format: LogoImage.Format) {
        #expect(throws: LogoImageError.malformed(format)) {
            try LogoImage(start + Array("<svg onload=\"alert(1)\"></svg>".utf8))
        }
    }

    @Test(arguments: ["", "GIF89a", "BM", "<html><script>alert(1)</script></html>", "%PDF-1.7", "PNG"])
    func otherFormatsAreRefused(text: String) {
        #expect(throws: LogoImageError.unknownFormat) { try LogoImage(Array(text.utf8)) }
    }

    @Test func animatedWebPIsRefused() throws {
        let animation = """
            UklGRsQAAABXRUJQVlA4WAoAAAACAAAAAQAAAQAAQU5JTQYAAAAAAAAAAABBTk1GSgAAAAAAAAAAAAEAAAEAAFoAAAJWUDggMgAAADABAJ0BKgIAAgA\
            BQCYloAADcAD+8ut///mwP/bz/wR6Af//0uD//pcH//S4P/SkAAAAQU5NRkYAAAAAAAAAAAABAAABAABaAAAAVlA4IC4AAAA0AQCdASoCAAIAAAAmJa\
            AAA3AA/vtV4///S4P/+lwf/9Lg/9Lg//rV5Vesq6AA
            """
        let bytes = try SampleImage.bytes(animation)
        #expect(throws: LogoImageError.animated(.webP)) { try LogoImage(bytes) }
        // The same without the flag that announces it.
        let still = bytes.enumerated().map { place, byte in place == 20 ? 0 : byte }
        #expect(throws: LogoImageError.animated(.webP)) { try LogoImage(still) }
    }

    @Test func animatedPNGIsRefused() {
        #expect(throws: LogoImageError.animated(.png)) {
            try LogoImage(SampleImage.png(width: 9, height: 9, beforePixels: [("acTL", [0, 0, 0, 2, 0, 0, 0, 0])]))
        }
    }

    @Test func unknownCriticalChunkIsRefused() throws {
        #expect(throws: LogoImageError.malformed(.png)) {
            try LogoImage(SampleImage.png(width: 9, height: 9, beforePixels: [("ABCD", [])]))
        }
        _ = try LogoImage(SampleImage.png(width: 9, height: 9, beforePixels: [("aBCD", [])]))
    }
}
