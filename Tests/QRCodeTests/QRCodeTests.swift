import Foundation
import QRCode
import TestSupport
import Testing

@Suite struct QRCodeTests {
    private static let uri =
        "otpauth://totp/demo-latchkey:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=demo-latchkey"
        + "&algorithm=SHA1&digits=6&period=30"

    // MARK: Structure

    @Test(arguments: ["1", uri, String(repeating: "x", count: QRCode.maximumBytes)])
    func symbolHasFinderPatterns(text: String) throws {
        let code = try #require(QRCode(text))
        // ISO/IEC 18004: version v has 17 + 4v modules on a side.
        #expect((21...177).contains(code.size) && (code.size - 17) % 4 == 0)
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            for row in 0..<7 {
                for column in 0..<7 {
                    // A dark ring, a light one, and a dark square of three modules.
                    let ring = max(abs(row - 3), abs(column - 3))
                    #expect(code.isDark(column: left + column, row: top + row) == (ring != 2))
                }
            }
        }
        // The timing pattern alternates.
        for column in 8..<code.size - 8 { #expect(code.isDark(column: column, row: 6) == (column % 2 == 0)) }
    }

    @Test func outsideIsLight() throws {
        let code = try #require(QRCode("1"))
        for place in [-4, -1, code.size, code.size + 3] {
            #expect(!code.isDark(column: place, row: 0) && !code.isDark(column: 0, row: place))
        }
    }

    @Test func oversizedTextHasNoCode() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: QRCode.maximumBytes + 1)) == nil)
        #expect(QRCode("1") == QRCode("1") && QRCode("1") != QRCode("2"))
    }

    @Test func svgReferencesNoOtherResource() throws {
        let code = try #require(QRCode(Self.uri))
        let side = code.size + 8
        #expect(code.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\""))
        #expect(code.svg.hasSuffix("</svg>"))
        for foreign in ["href", "script", "style", "\n"] { #expect(!code.svg.contains(foreign)) }
    }

    @Test func terminalTextIsSquare() throws {
        let code = try #require(QRCode(Self.uri))
        let lines = code.terminalText.split(separator: "\n")
        #expect(lines.count == (code.size + 8 + 1) / 2)
        for line in lines { #expect(Self.modules(of: line).count == code.size + 8) }
    }

    // MARK: Independent reader

    @Test(arguments: ["1", uri, "otpauth://totp/x?secret=MZXW6YTB", String(repeating: "long ", count: 100)])
    func scannerReadsSVG(text: String) async throws {
        let directory = try TemporaryDirectory()
        let (image, picture) = (directory.appending("code.svg"), directory.appending("code.png"))
        try #require(QRCode(text)).svg.write(toFile: image, atomically: true, encoding: .utf8)
        let renderer = try RunningProgram(
            "/usr/bin/rsvg-convert", ["--zoom", "6", "--output", picture, image], in: directory)
        #expect(try await renderer.ending() == .code(0), "\(renderer.errors)")
        #expect(try await scanned(picture, in: directory) == text)
    }

    /// The terminal output as a camera sees it: each half block is two modules.
    @Test(arguments: ["1", uri, String(repeating: "long ", count: 60)])
    func scannerReadsTerminalText(text: String) async throws {
        let directory = try TemporaryDirectory()
        let rows = try #require(QRCode(text)).terminalText.split(separator: "\n").flatMap { line in
            let modules = Self.modules(of: line)
            return [modules.map(\.upper), modules.map(\.lower)]
        }
        let scale = 6
        var picture = Data("P5 \(rows[0].count * scale) \(rows.count * scale) 255\n".utf8)
        for row in rows {
            let line = row.flatMap { Array(repeating: UInt8($0 ? 0 : 255), count: scale) }
            for _ in 0..<scale { picture.append(contentsOf: line) }
        }
        let file = directory.appending("terminal.pgm")
        try picture.write(to: URL(filePath: file))
        #expect(try await scanned(file, in: directory) == text)
    }

    /// The modules of a line of half blocks, without the escape sequences for colors.
    private static func modules(of line: Substring) -> [(upper: Bool, lower: Bool)] {
        line.replacing("\u{1b}[30;47m", with: "").replacing("\u{1b}[0m", with: "").compactMap { block in
            switch block {
            case "█": (true, true)
            case "▀": (true, false)
            case "▄": (false, true)
            case " ": (false, false)
            default: nil
            }
        }
    }

    /// The text that zbar finds in an image.
    private func scanned(_ picture: String, in directory: TemporaryDirectory) async throws -> String {
        let scanner = try RunningProgram(
            "/usr/bin/zbarimg", ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", picture], in: directory)
        #expect(try await scanner.ending() == .code(0), "\(scanner.errors)")
        return scanner.output.hasSuffix("\n") ? String(scanner.output.dropLast()) : scanner.output
    }
}
