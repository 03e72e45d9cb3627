import Glibc
import ServiceRuntime

/// A file of variables in the syntax of `EnvironmentFile=` of systemd.exec(5): lines `NAME=value`; lines that begin with
/// `#` or `;` are comments; a value can be between single or double quotes; a backslash at the end of a line continues
/// it, and in an unquoted or double-quoted value it makes the next character literal.
package struct EnvironmentFile: Equatable, Sendable {
    /// The last line of a name counts.
    package let variables: [String: String]

    /// A larger file is not a file of settings.
    package static let maximumBytes = 1 << 20

    /// Reads a file. It blocks: call it at the start of a process.
    package init(path: String) throws(EnvironmentFileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw EnvironmentFileError(path: path, reason: .unreadable(String(cString: strerror(errno))))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= Self.maximumBytes {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else {
                throw EnvironmentFileError(path: path, reason: .unreadable(String(cString: strerror(errno))))
            }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        guard bytes.count <= Self.maximumBytes else { throw EnvironmentFileError(path: path, reason: .tooLarge) }
        do throws(Syntax) {
            try self.init(bytes)
        } catch {
            throw EnvironmentFileError(path: path, reason: .line(error.line))
        }
    }

    /// - Throws: the number of the first invalid line.
    init(_ bytes: [UInt8]) throws(Syntax) {
        var reader = Reader(rest: bytes[...])
        var variables: [String: String] = [:]
        while let (name, value) = try reader.nextVariable() { variables[name] = value }
        self.variables = variables
    }

    /// An invalid line, counted from 1.
    struct Syntax: Error, Equatable {
        let line: Int
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        var line = 1

        mutating func nextVariable() throws(Syntax) -> (String, String)? {
            while true {
                while let byte = rest.first, byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a { skip(byte) }
                guard let first = rest.first else { return nil }
                guard first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
                    rest = rest.drop { $0 != 0x0a }
                    continue
                }
                let start = line
                let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != 0x0a }
                rest = rest.dropFirst(name.count)
                guard rest.popFirst() == UInt8(ascii: "="), Self.isName(name) else { throw Syntax(line: start) }
                return (String(decoding: name, as: UTF8.self), try value(from: start))
            }
        }

        private mutating func skip(_ byte: UInt8) {
            rest = rest.dropFirst()
            if byte == 0x0a { line += 1 }
        }

        /// The value up to the end of its line, which is consumed.
        private mutating func value(from start: Int) throws(Syntax) -> String {
            var value: [UInt8] = []
            /// The length of the value without unquoted spaces at its end.
            var length = 0
            var quote: UInt8?
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            while let byte = rest.first {
                if byte == 0x0a, quote == nil { break }
                skip(byte)
                switch byte {
                case UInt8(ascii: "\\") where quote != UInt8(ascii: "'"):
                    guard let next = rest.first else { throw Syntax(line: start) }
                    skip(next)
                    if next == 0x0a { continue }
                    value.append(next)
                    length = value.count
                case quote: quote = nil
                case UInt8(ascii: "'") where quote == nil, UInt8(ascii: "\"") where quote == nil:
                    quote = byte
                    length = value.count
                default:
                    value.append(byte)
                    if quote != nil || (byte != 0x20 && byte != 0x09 && byte != 0x0d) { length = value.count }
                }
            }
            guard quote == nil, !value.contains(0), let text = String(validating: value.prefix(length), as: UTF8.self)
            else { throw Syntax(line: start) }
            return text
        }

        private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
            guard let first = bytes.first, !isDigit(first) else { return false }
            return bytes.allSatisfy { byte in
                isDigit(byte) || byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a)
            }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    }
}

/// Why an environment file cannot be used. Exit code 78.
package struct EnvironmentFileError: ExitError, Equatable {
    package enum Reason: Equatable, Sendable {
        /// With the system's description.
        case unreadable(String)
        case tooLarge
        /// The number of the first invalid line.
        case line(Int)
    }

    package let path: String
    package let reason: Reason

    package var exitCode: Int32 { ExitCode.settings }

    package var messages: [String] {
        let name = LogEscaping.escaped(path, maximumBytes: 200)
        return switch reason {
        case .unreadable(let description):
            ["\(name) cannot be read: \(description). Run the command as a user who may read it."]
        case .tooLarge: ["\(name) is larger than \(EnvironmentFile.maximumBytes >> 20) MiB. Name a file of settings."]
        case .line(let number):
            ["Line \(number) of \(name) is not NAME=value. Write it as systemd.exec(5) describes EnvironmentFile=."]
        }
    }
}
