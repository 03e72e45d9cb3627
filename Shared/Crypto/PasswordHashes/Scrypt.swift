internal import COpenSSL

/// scrypt (RFC 7914), for imported passwords.
package enum Scrypt {
    /// The parameters of section 2.
    package struct Parameters: Equatable, Sendable {
        /// N: a power of 2.
        package var cost: Int
        /// r
        package var blockSize: Int
        /// p
        package var parallelization: Int

        package init(cost: Int, blockSize: Int, parallelization: Int) {
            self.cost = cost
            self.blockSize = blockSize
            self.parallelization = parallelization
        }

        /// The memory that a hash needs; nil when the number is out of range.
        package var memoryBytes: Int? {
            let (blocks, blocksOverflow) = cost.addingReportingOverflow(parallelization)
            let (lines, linesOverflow) = blocks.multipliedReportingOverflow(by: blockSize)
            let (bytes, bytesOverflow) = lines.multipliedReportingOverflow(by: 128)
            // The library counts some bookkeeping beside the blocks.
            let (all, allOverflow) = bytes.addingReportingOverflow(1 << 20)
            return blocksOverflow || linesOverflow || bytesOverflow || allOverflow ? nil : all
        }
    }

    /// It takes `memoryBytes` of memory, and time in proportion to it and to `parallelization`: run it in a
    /// `BlockingPool`.
    /// - Throws: `CryptoError.parameters` for parameters that the algorithm does not allow, or without memory.
    package static func derive(
        password: [UInt8], salt: [UInt8], _ parameters: Parameters, byteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        guard let cost = UInt64(exactly: parameters.cost), let blockSize = UInt64(exactly: parameters.blockSize),
            let parallelization = UInt64(exactly: parameters.parallelization), byteCount > 0,
            let memory = parameters.memoryBytes.flatMap(UInt64.init(exactly:))
        else { throw .parameters("out of range") }
        var key = [UInt8](repeating: 0, count: byteCount)
        let code = password.withUnsafeBytes { password in
            EVP_PBE_scrypt(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count, cost,
                blockSize, parallelization, memory, &key, byteCount)
        }
        guard code == 1 else { throw .parameters("refused by OpenSSL") }
        return key
    }
}
